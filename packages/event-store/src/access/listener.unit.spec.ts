import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { asOtherUser, canBeOtherUser, OTHER_UID } from '../../testing/other-user.js';
import { startListener, type Listener } from './listener.js';
import { SameUser } from './same-user.js';

const HTTP2 = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const HTTP1 = 'GET /ping HTTP/1.1\r\nhost: here\r\n\r\n';

let served: { grpc: number; http: number };
let logged: Record<string, unknown>[];
let listener: Listener | undefined;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  listener?.close();
});

/** Answers every served connection with the bytes that it sent, and closes it. */
async function start(
  limits = { unidentified: 100, silent: 100, timeoutMs: 60_000 },
  nowMs = () => 0,
): Promise<number> {
  served = { grpc: 0, http: 0 };
  logged = [];
  const serve = (kind: 'grpc' | 'http') => (socket: Socket) => {
    served[kind]++;
    socket.once('data', (bytes: Buffer) => socket.end(`${kind}: ${bytes.length}`));
  };
  const access = new SameUser({
    uid: process.getuid!(),
    log: (level, message, fields) => logged.push({ level, message, ...fields }),
    now: () => ({ getTime: nowMs }),
  });
  listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    access,
    serveGrpc: serve('grpc'),
    serveHttp: serve('http'),
    limits,
  });
  return listener.port;
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

async function closed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

async function answerTo(port: number, ...parts: readonly string[]): Promise<string> {
  const socket = open(port).setNoDelay();
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
  const end = closed(socket);
  for (const part of parts) await new Promise<void>((sent) => socket.write(part, () => sent()));
  await end;
  return answer;
}

/** Connects as another user, sends a text, and prints the answer. */
const TALK = `
import { connect } from 'node:net';
const socket = connect(Number(argv[0]), '127.0.0.1', () => socket.write(argv[1]));
socket.on('data', (bytes) => process.stdout.write(bytes)).on('error', () => {});
`;

/** Connects as another user, sends nothing, and prints the error that ends the connection. */
const LISTEN = `
import { connect } from 'node:net';
connect(Number(argv[0]), '127.0.0.1').on('error', ({ code }) => console.log(code)).resume();
`;

/** Connects and disconnects in a loop: the kernel lists the closed ends with uid 0. */
const HIT_AND_RUN = `
import { connect } from 'node:net';
import { once } from 'node:events';
for (let i = 0; i < 90; i++) {
  const socket = connect(Number(argv[0]), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect').catch(() => {});
  if (i % 3 === 0) { socket.end(argv[1]); await once(socket, 'close').catch(() => {}); }
  else if (i % 3 === 1) socket.end(argv[1], () => socket.destroy());
  else socket.write(argv[1], () => socket.resetAndDestroy());
}
`;

(process.platform === 'linux' ? describe : describe.skip)('the listener, on Linux', () => {
  it('distinguishes gRPC from HTTP/1.1 by the first bytes, and passes on every byte', async () => {
    const port = await start();
    expect(await answerTo(port, HTTP2)).toBe(`grpc: ${HTTP2.length}`);
    expect(await answerTo(port, HTTP1)).toBe(`http: ${HTTP1.length}`);
    expect(await answerTo(port, 'P', 'RI')).toBe('grpc: 3');
  });

  it('closes a silent connection', async () => {
    const port = await start({ unidentified: 100, silent: 100, timeoutMs: 50 });
    await closed(open(port));
    expect(await answerTo(port, 'P')).toBe('');
    expect(served).toEqual({ grpc: 0, http: 0 });
  });

  it('closes the connection that is silent longest when there are too many', async () => {
    const port = await start({ unidentified: 100, silent: 3, timeoutMs: 60_000 });
    const silent: Socket[] = [];
    for (let i = 0; i < 3; i++) await once(silent[silent.push(open(port)) - 1]!, 'connect');
    const end = closed(silent[0]!);
    expect(await answerTo(port, HTTP2)).toBe(`grpc: ${HTTP2.length}`);
    await end;
    expect(silent.map((socket) => socket.destroyed)).toEqual([true, false, false]);
  });

  it('keeps connections that it serves open', async () => {
    const port = await start({ unidentified: 1, silent: 1, timeoutMs: 60_000 });
    const socket = open(port);
    socket.write('PRI');
    await once(socket, 'data');
    expect(await answerTo(port, HTTP2)).toBe(`grpc: ${HTTP2.length}`);
  });

  (canBeOtherUser ? describe : describe.skip)('for another user (needs root to be one)', () => {
    it('closes the connection unread, and logs its owner', async () => {
      const port = await start();
      expect(await asOtherUser(TALK, String(port), HTTP2)).toBe('');
      expect(await asOtherUser(TALK, String(port), HTTP1)).toBe('');
      expect(served).toEqual({ grpc: 0, http: 0 });
      expect(logged).toEqual([
        {
          level: 'warn',
          message: 'connection refused: it does not belong to the user of the event store',
          uid: OTHER_UID,
          refused: 1,
        },
      ]);
    });

    it('resets the connection, which leaves no row in the tables of the kernel', async () => {
      const port = await start();
      expect(await asOtherUser(LISTEN, String(port))).toBe('ECONNRESET');
    });

    it('logs one line in ten seconds, with the number of refusals since the last line', async () => {
      let nowMs = 0;
      const port = await start(undefined, () => nowMs);
      for (let i = 0; i < 3; i++) await asOtherUser(TALK, String(port), HTTP2);
      nowMs = 10_000;
      await asOtherUser(TALK, String(port), HTTP2);
      expect(logged.map(({ refused }) => refused)).toEqual([1, 3]);
    });

    it('ignores a connection that is closed already', async () => {
      const port = await start({ unidentified: 1000, silent: 1000, timeoutMs: 60_000 });
      await asOtherUser(HIT_AND_RUN, String(port), HTTP2);
      expect(await answerTo(port, HTTP1)).toBe(`http: ${HTTP1.length}`);
      expect(served).toEqual({ grpc: 0, http: 1 });
    });

    it('serves its own user while another user floods it', async () => {
      const port = await start();
      const flood = asOtherUser(HIT_AND_RUN, String(port), HTTP2);
      for (let i = 0; i < 5; i++) expect(await answerTo(port, HTTP2)).toBe(`grpc: ${HTTP2.length}`);
      await flood;
      expect(served).toEqual({ grpc: 5, http: 0 });
    });
  });
});
