import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

/** A connection between client and server that loses, delays or breaks on demand. */
export interface TcpProxy {
  readonly port: number;
  /** From now on drops the server's bytes and forwards the client's. */
  loseAnswers(): void;
  /** From now on holds the server's bytes back. */
  holdAnswers(): void;
  releaseAnswers(): void;
  /** Breaks the next connection that sends these bytes, in place of the answer. */
  loseAnswerTo(words: string): void;
  /** Like a stopped server process: accepts connections, and forwards nothing in either direction. */
  freeze(): void;
  thaw(): void;
  /** From now on breaks the connections of clients whose ports are refused, and refuses new ones. */
  refuse(isRefused: (clientPort: number) => boolean): void;
  /** Like an ended server process: breaks all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, on the same port. */
  reopen(): Promise<void>;
  /** Number of open client connections. */
  connections(): number;
  /** Number of bytes from the server so far. */
  bytesAnswered(): number;
  /** The number of times that a client has sent something after an answer, or first. */
  turns(): number;
  /** Breaks all connections, and forwards everything on new ones. */
  reset(): void;
  close(): Promise<void>;
}

/** Listens on a free port unless `ownPort` names one. */
export async function startTcpProxy(serverPort: number, ownPort = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isLosing = false;
  let isFrozen = false;
  let answered = 0;
  let turns = 0;
  let held: (() => void)[] | undefined;
  let breakAt: string | undefined;
  let refuses: Parameters<TcpProxy['refuse']>[0] = () => false;
  const server = createServer({ noDelay: true }, (client) => {
    if (refuses(client.remotePort ?? 0)) return void client.destroy();
    const upstream = connect({ port: serverPort, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      // The tests break connections on purpose.
      socket.on('error', () => undefined);
    }
    let isBreaking = false;
    let isClientsTurn = true;
    client.on('data', () => {
      if (isClientsTurn) turns += 1;
      isClientsTurn = false;
    });
    client.on('data', (chunk: Buffer) => {
      if (breakAt === undefined || !chunk.includes(breakAt)) return;
      breakAt = undefined;
      isBreaking = true;
    });
    client.on('data', (chunk) => upstream.write(chunk));
    if (isFrozen) for (const socket of [client, upstream]) socket.pause();
    upstream.on('data', (chunk) => {
      answered += chunk.length;
      isClientsTurn = true;
      if (isBreaking) client.destroy();
      else if (held) held.push(() => client.write(chunk));
      else if (!isLosing) client.write(chunk);
    });
  }).listen(ownPort, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    server.close();
    breakAll();
    await once(server, 'close');
  };
  return {
    port,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    refuse: (isRefused) => {
      refuses = isRefused;
      const clients = [...sockets].filter(({ localPort }) => localPort === port);
      for (const client of clients) if (isRefused(client.remotePort ?? 0)) client.destroy();
    },
    cut,
    reopen: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    connections: () => sockets.size / 2,
    bytesAnswered: () => answered,
    turns: () => turns,
    loseAnswers: () => (isLosing = true),
    holdAnswers: () => void (held = []),
    releaseAnswers: () => {
      for (const write of held ?? []) write();
      held = undefined;
    },
    loseAnswerTo: (words) => (breakAt = words),
    reset: () => {
      isLosing = false;
      breakAll();
    },
    close: async () => {
      if (server.listening) await cut();
    },
  };
}
