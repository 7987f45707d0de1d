import type { IncomingMessage, ServerResponse } from 'node:http';

export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface MetricsPageOptions {
  source: () => Promise<MetricsSource>;
  tls: boolean;
  log: (level: 'error', message: string, fields: Record<string, unknown>) => void;
}

export type Page = (request: IncomingMessage, response: ServerResponse) => void;

const LOOPBACK_NAME = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]+)?$/i;

/**
 * Without TLS it answers only under a loopback name, against DNS rebinding: a page in a browser of this user could
 * otherwise read the metrics. A certificate prevents that by itself.
 */
export function metricsPage({ source, tls, log }: MetricsPageOptions): Page {
  return ({ method, headers }, response) => {
    if (method !== 'GET') return end(response, 405);
    if (!tls && !LOOPBACK_NAME.test(headers.host ?? '')) return end(response, 403);
    send(response, source).catch((error: Error) => {
      log('error', 'metrics not sent', { error: error.message });
      end(response, 500);
    });
  };
}

async function send(response: ServerResponse, source: MetricsPageOptions['source']): Promise<void> {
  const found = await source();
  const text = await found.metrics();
  response.setHeader('content-type', found.contentType);
  response.end(text);
}

function end(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}
