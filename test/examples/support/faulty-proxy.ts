import { once } from 'node:events';
import { createServer, request as requestOf } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A reverse proxy between an application and the network that fails on demand. */
export interface FaultyProxy {
  readonly port: number;
  /** Forwards the next requests for this path, and drops their answers. */
  loseAnswer(path: string, times?: number): void;
  /** Answers the next request for this path with this Retry-After in seconds. */
  refuse(path: string, retryAfter: number, refusal?: Refusal): void;
  /** Never answers the next request for this path. Resolves when it has come. */
  hold(path: string): Promise<void>;
  /** Replaces members in the next answer for this path. */
  alter(path: string, members: object): void;
  /** The number of requests for this path, or of all. */
  count(path?: string): number;
  /** The tokens in all answers so far. */
  tokens(): string[];
  /** All other answers so far, with their headers. */
  answers(): string;
  close(): Promise<void>;
}

interface Refusal {
  readonly code: string;
  readonly status: number;
}

const paused: Refusal = { code: 'publishing_paused', status: 503 };

type Fault = (answer: ServerResponse) => void;

/** `port`: of the network, which may start later. */
export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const seen: string[] = [];
  const [lost, refused] = [new Map<string, number>(), new Map<string, Fault>()];
  const issued: string[] = [];
  const answers: Buffer[] = [];
  const altered = new Map<string, object>();
  const server = createServer((request, answer) => {
    const [path = ''] = (request.url ?? '').split('?');
    seen.push(path);
    const fault = refused.get(path);
    if (fault && refused.delete(path)) return fault(answer);
    const { url: target, method, headers } = request;
    const onward = requestOf({ host: '127.0.0.1', port, path: target, method, headers }, (response) => {
      const losses = lost.get(path) ?? 0;
      lost.set(path, losses - 1);
      if (losses > 0) return void answer.destroy();
      if (path.endsWith('/token')) response.on('data', (body) => issued.push(...tokensIn(String(body))));
      else response.on('data', (body: Buffer) => answers.push(body));
      answers.push(Buffer.from(response.rawHeaders.join('\n')));
      const members = altered.get(path);
      if (members && altered.delete(path)) return void answerWith(members, response, answer);
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => answer.writableFinished || onward.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswer: (path, times = 1) => void lost.set(path, times),
    refuse: (path, retryAfter, { code, status } = paused) =>
      void refused.set(path, (answer) => {
        answer.writeHead(status, { 'content-type': 'application/json', 'retry-after': String(retryAfter) });
        answer.end(JSON.stringify({ error: code, message: 'Come back later.' }));
      }),
    hold: (path) => new Promise((come) => refused.set(path, () => come())),
    alter: (path, members) => void altered.set(path, members),
    count: (path) => seen.filter((one) => path === undefined || one === path).length,
    tokens: () => issued,
    answers: () => Buffer.concat(answers).toString('latin1'),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answerWith(members: object, response: IncomingMessage, answer: ServerResponse): Promise<void> {
  const body = (await json(response)) as object;
  answer.writeHead(response.statusCode ?? 502, { 'content-type': 'application/json' });
  answer.end(JSON.stringify({ ...body, ...members }));
}

/** Access, refresh and ID tokens of a token response. */
const tokensIn = (body: string): string[] =>
  [...body.matchAll(/"(?:access|refresh|id)_token":"([^"]+)"/g)].map(([, token = '']) => token);
