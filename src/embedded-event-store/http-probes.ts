/** EventStoreDB's HTTP/1.1 endpoints for monitoring; one response a connection. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SERVER_VERSION } from './grpc/discovery-calls.js';

/** Metrics of this process for Prometheus. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

interface ProbeOptions {
  authentication: 'insecure' | 'internal';
  /** Undefined: `/metrics` is unknown. */
  metrics?: (() => Promise<MetricsSource>) | undefined;
}

const MAX_HEADER_BYTES = 8192;

export function httpProbes({ authentication, metrics }: ProbeOptions): (socket: Socket) => void {
  const pages: Readonly<Record<string, object | undefined>> = {
    '/health/live': undefined,
    '/ping': { text: 'Ping request successfully handled' },
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
    if (path === '/metrics' && metrics) void scrape(request, response, { authentication, metrics });
    else if (!Object.hasOwn(pages, path)) end(response, 404);
    else if (request.method !== 'GET' && request.method !== 'HEAD') end(response, 405);
    else end(response, pages[path] ? 200 : 204, pages[path]);
  });
  return (socket) => void server.emit('connection', socket);
}

/**
 * Without TLS only under a loopback name, against DNS rebinding: a page in a browser of this user could otherwise read
 * the metrics. A certificate prevents that by itself.
 */
async function scrape(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  {
    authentication,
    metrics,
  }: { authentication: ProbeOptions['authentication']; metrics: () => Promise<MetricsSource> },
): Promise<void> {
  if (method !== 'GET') return end(response, 405);
  if (authentication === 'insecure' && !LOOPBACK_NAME.test(headers.host ?? '')) return end(response, 403);
  try {
    const source = await metrics();
    const text = await source.metrics();
    response.setHeader('content-type', source.contentType);
    response.end(text);
  } catch {
    end(response, 500);
  }
}

const LOOPBACK_NAME = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]+)?$/i;

function end(response: ServerResponse, status: number, body?: object): void {
  response.statusCode = status;
  if (body) response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(body && JSON.stringify(body));
}
