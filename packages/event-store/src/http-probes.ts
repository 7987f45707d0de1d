/** EventStoreDB's HTTP/1.1 endpoints for monitoring; one response a connection. */
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SERVER_VERSION } from './grpc/discovery-calls.js';
import type { Page } from './metrics-page.js';

interface ProbeOptions {
  authentication: 'insecure' | 'internal';
  metrics?: Page | undefined;
}

const MAX_HEADER_BYTES = 8192;
/** EventStoreDB 23.10.8 answers with this number, which is the order in which it loads its types. */
const PING_TYPE_ID = 123;

export function httpProbes({ authentication, metrics }: ProbeOptions): (socket: Socket) => void {
  const pages: Readonly<Record<string, object | undefined>> = {
    '/health/live': undefined,
    '/ping': { text: 'Ping request successfully handled', msgTypeId: PING_TYPE_ID, label: 'Http' },
    '/info': {
      esVersion: SERVER_VERSION,
      state: 'leader',
      features: { projections: false, userManagement: false, atomPub: false },
      authentication: { type: authentication, properties: {} },
    },
  };
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    response.setHeader('connection', 'close');
    const [path = ''] = (request.url ?? '').split('?');
    if (path === '/metrics' && metrics) metrics(request, response);
    else if (!Object.hasOwn(pages, path)) end(response, 404);
    else if (request.method !== 'GET' && request.method !== 'HEAD') end(response, 405);
    else end(response, pages[path] ? 200 : 204, pages[path]);
  });
  return (socket) => void server.emit('connection', socket);
}

function end(response: ServerResponse, status: number, body?: object): void {
  response.statusCode = status;
  if (body) response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(body && JSON.stringify(body));
}
