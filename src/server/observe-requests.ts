import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalLabelsOf } from './refusal-code.js';
import type { Telemetry } from '../base/telemetry/telemetry.js';
import type { OpenSpan } from '../base/telemetry/tracer.js';

interface Observed {
  readonly span: OpenSpan | undefined;
  end(): void;
}

/** Observes every request to this server, by the template of its route. Call it before all other hooks. */
export function observeRequests(server: FastifyInstance, telemetry: Telemetry): void {
  const observed = new WeakMap<FastifyRequest, Observed>();
  server.addHook('onRequest', (request, reply, done) => {
    const one = begin(request, reply, telemetry);
    observed.set(request, one);
    // Emitted after every answer, finished or cut off, also after one of the authorization server.
    reply.raw.once('close', () => one.end());
    run(one.span, done);
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    // An event stream stays open for hours: its request is answered when it begins.
    if (isEventStream(reply)) observed.get(request)?.end();
    done();
  });
  // The body arrives in the context of its socket.
  if (telemetry.hasTraces)
    server.addHook('preValidation', (request, _reply, done) => run(observed.get(request)?.span, done));
}

function begin(request: FastifyRequest, reply: FastifyReply, telemetry: Telemetry): Observed {
  const method = methodOf(request);
  const route = request.routeOptions.url ?? 'unmatched';
  const { requests, refusals } = telemetry.metrics;
  const span = telemetry.startSpan(() => ({
    name: `${method} ${route}`,
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': route },
  }));
  const startedAt = performance.now();
  let hasEnded = false;
  return {
    span,
    end() {
      if (hasEnded) return;
      hasEnded = true;
      const { raw } = reply;
      const status = raw.headersSent || isEventStream(reply) ? String(raw.statusCode) : '';
      const refusal = refusalLabelsOf(raw);
      requests.observe(
        { http_request_method: method, http_route: route, http_response_status_code: status },
        (performance.now() - startedAt) / 1_000,
      );
      if (refusal) refusals.inc({ ...refusal });
      span?.end(refusal?.code, status === '' ? {} : { 'http.response.status_code': raw.statusCode });
    },
  };
}

const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream');

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export const methodOf = ({ method = '' }: Pick<IncomingMessage, 'method'>): string =>
  methods.has(method) ? method : '_OTHER';

function run(span: OpenSpan | undefined, done: () => void): void {
  if (span) span.run(done);
  else done();
}
