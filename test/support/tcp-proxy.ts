import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

/** A stretch of network between a client and a server, which can be made to lose things. */
export interface TcpProxy {
  readonly port: number;
  /** From now on what the server says is lost, while what the client says arrives. */
  loseAnswers(): void;
  /** From now on what the server says waits until it is let go. */
  holdAnswers(): void;
  letAnswersGo(): void;
  /** Breaks the connection of whoever says this next, in place of the answer to it. */
  loseAnswerTo(words: string): void;
  /** Breaks every connection; new ones work. */
  mend(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isLosing = false;
  let held: (() => void)[] | undefined;
  let fatal: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      // Broken on purpose.
      socket.on('error', () => undefined);
    }
    let isDoomed = false;
    client.on('data', (chunk: Buffer) => {
      if (fatal === undefined || !chunk.includes(fatal)) return;
      fatal = undefined;
      isDoomed = true;
    });
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (isDoomed) client.destroy();
      else if (held) held.push(() => client.write(chunk));
      else if (!isLosing) client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswers: () => (isLosing = true),
    holdAnswers: () => void (held = []),
    letAnswersGo: () => {
      for (const write of held ?? []) write();
      held = undefined;
    },
    loseAnswerTo: (words) => (fatal = words),
    mend: () => {
      isLosing = false;
      breakAll();
    },
    close: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
