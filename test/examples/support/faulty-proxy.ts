import { once } from 'node:events';
import { createServer, request as requestOf } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A reverse proxy between an application and the network that fails on demand. */
export interface FaultyProxy {
  readonly port: number;
  /** Forwards the next request for this path, and drops its answer. */
  loseAnswer(path: string): void;
  /** Answers the next request for this path with 503 and this Retry-After in seconds. */
  refuse(path: string, retryAfter: number): void;
  /** Replaces members in the next answer for this path. */
  alter(path: string, members: object): void;
  /** The number of requests for this path. */
  count(path: string): number;
  close(): Promise<void>;
}

type Fault = (answer: ServerResponse) => void;

/** `port`: of the network, which may start later. */
export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const seen: string[] = [];
  const [lost, refused] = [new Set<string>(), new Map<string, Fault>()];
  const altered = new Map<string, object>();
  const server = createServer((request, answer) => {
    const [path = ''] = (request.url ?? '').split('?');
    seen.push(path);
    const fault = refused.get(path);
    if (fault && refused.delete(path)) return fault(answer);
    const { url: target, method, headers } = request;
    const onward = requestOf({ host: '127.0.0.1', port, path: target, method, headers }, (response) => {
      if (lost.delete(path)) return void answer.destroy();
      const members = altered.get(path);
      if (members && altered.delete(path)) return void answerWith(members, response, answer);
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswer: (path) => void lost.add(path),
    refuse: (path, retryAfter) =>
      void refused.set(path, (answer) => {
        answer.writeHead(503, { 'content-type': 'application/json', 'retry-after': String(retryAfter) });
        answer.end(JSON.stringify({ error: 'publishing_paused', message: 'Come back later.' }));
      }),
    alter: (path, members) => void altered.set(path, members),
    count: (path) => seen.filter((one) => one === path).length,
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
