import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { percentiles } from '../percentiles.js';
import type { Percentiles } from '../percentiles.js';
import { postBody } from '../post-body.js';

/** Requests that the driver sends. */
export interface Offer {
  readonly url: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly tokens: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second, whether or not others are answered. Undefined: each connection waits for its answer. */
  readonly perSecond?: number;
}

export interface Offered {
  readonly sent: number;
  readonly served: number;
  /** Answers of 503. */
  readonly refused: number;
  /** Other answers, and none. */
  readonly lost: number;
  /** Served requests, from the time at which each was due. */
  readonly latency: Percentiles;
  readonly longestMs: number;
  /** From the beginning of a new connection to its first answer, whatever that is. */
  readonly newConnection: Percentiles;
  readonly cpuShare: number;
}

const NEW_CONNECTION_EVERY_MS = 100;
const DRAIN_MS = 30_000;

/** One request at a time over a raw socket: `node:http` costs several times as much. */
class Connection {
  readonly connected: Promise<unknown>;
  private readonly socket: Socket;
  private head = '';
  private missing: number | undefined;
  private status = 0;
  private onAnswer: ((status: number) => void) | undefined;

  constructor({ hostname, port }: URL) {
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.answer(0));
    this.connected = new Promise((resolve) => {
      this.socket.once('connect', resolve);
      this.socket.once('close', resolve);
    });
  }

  send(text: string, onAnswer: (status: number) => void): void {
    this.onAnswer = onAnswer;
    if (this.isClosed) this.answer(0);
    else this.socket.write(text);
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    let { length } = chunk;
    if (this.missing === undefined) {
      this.head += chunk.toString('latin1');
      const end = this.head.indexOf('\r\n\r\n');
      if (end < 0) return;
      length = this.head.length - end - 4;
      this.status = Number(this.head.slice(9, 12));
      this.missing = Number(/\r\ncontent-length: (\d+)/i.exec(this.head.slice(0, end))?.[1] ?? 0);
      this.head = '';
    }
    this.missing -= length;
    if (this.missing > 0) return;
    this.missing = undefined;
    this.answer(this.status);
  }

  private answer(status: number): void {
    const { onAnswer } = this;
    this.onAnswer = undefined;
    onAnswer?.(status);
  }
}

async function offer({
  url,
  path,
  method,
  tokens,
  seconds,
  connections,
  perSecond,
}: Offer): Promise<Offered> {
  const target = new URL(url);
  let sent = 0;
  const request = (): string => {
    const token = tokens[sent % tokens.length];
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${target.host}\r\nauthorization: Bearer ${token}\r\n`;
    if (method === 'GET') return `${head}\r\n`;
    const body = postBody();
    return `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const free = Array.from({ length: connections }, () => new Connection(target));
  await Promise.all(free.map((each) => each.connected));
  const [served, begun]: [number[], number[]] = [[], []];
  /** When each request is due, of those that are not sent yet from `taken` on. */
  const due: number[] = [];
  let [taken, refused, lost, open] = [0, 0, 0, 0];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1_000;
  const count = (status: number, since: number): void => {
    open -= 1;
    if (status === 200) served.push(performance.now() - since);
    else if (status === 503) refused += 1;
    else lost += 1;
  };
  const isDue = (): boolean => (perSecond === undefined ? performance.now() < end : taken < due.length);
  const next = (): void => {
    while (free.length > 0 && isDue()) {
      // The one that is idle for longest: the server cuts idle ones.
      const [connection, since] = [free.shift(), due[taken] ?? performance.now()];
      taken += 1;
      open += 1;
      connection?.send(request(), (status) => {
        count(status, since);
        free.push(connection.isClosed ? new Connection(target) : connection);
        next();
      });
      sent += 1;
    }
  };
  let nextNew = start;
  for (let now = start; now < end; now = performance.now()) {
    if (perSecond !== undefined)
      while (due.length < ((now - start) / 1_000) * perSecond)
        due.push(start + (due.length / perSecond) * 1_000);
    next();
    if (now >= nextNew) {
      const connection = new Connection(target);
      open += 1;
      connection.send(request(), (status) => {
        begun.push(performance.now() - now);
        count(status, now);
        connection.close();
      });
      nextNew += NEW_CONNECTION_EVERY_MS;
    }
    await pause(1);
  }
  const { user, system } = process.cpuUsage(cpu);
  const unanswered = (): number => open + Math.max(0, due.length - taken);
  while (unanswered() > 0 && performance.now() < end + DRAIN_MS) await pause(20);
  for (const connection of free) connection.close();
  return {
    sent: perSecond === undefined ? sent : due.length,
    served: served.length,
    refused,
    lost: lost + unanswered(),
    latency: percentiles(served),
    longestMs: Math.round(served.reduce((longest, each) => Math.max(longest, each), 0)),
    newConnection: percentiles(begun),
    cpuShare: (user + system) / 1_000 / (end - start),
  };
}

process.on('message', (asked: Offer) => void offer(asked).then((answer) => process.send?.(answer)));
process.send?.({ port: 0 });
