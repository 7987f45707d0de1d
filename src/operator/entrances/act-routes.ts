import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientRequestIdOf } from '../../server/client-request-id.js';
import { Answer } from '../desk/act.js';
import type { Act } from '../desk/act.js';
import { requireAdmission } from '../desk/admission.js';
import type { Acts } from '../desk/acts.js';
import type { Caller } from '../desk/caller.js';
import { actOfRoute, actTable } from './table.js';
import type { Authentication } from '../desk/identity/authentication.js';

/** Routes that answer otherwise than by an act's `run`. */
const ownRoutes: ReadonlySet<string> = new Set(['/metrics']);

/** A route without a row in the table of acts makes the start fail. Call it before any route. */
export function requireActs(server: FastifyInstance): void {
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat())
      if (!actOfRoute(each, url)) throw new Error(`${each} ${url} is not in the table of acts`);
  });
}

/** Serves every act as JSON. Callers are authenticated and admitted before a body is read. */
export function actRoutes(server: FastifyInstance, acts: Acts, authentication: Authentication): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  server.addHook('onRequest', async (request) => {
    // The console admits by its own session.
    if (isOfConsole(request.routeOptions.url ?? request.url)) return;
    const row = actOfRoute(request.method, request.routeOptions.url);
    const isOpen = row?.may === 'anyone' || row?.may === 'invitation';
    const caller: Caller = isOpen
      ? { kind: 'anyone' }
      : await authentication.callerOf(request.headers.authorization, row?.may);
    if (row) requireAdmission(row, caller);
    callers.set(request, caller);
  });
  for (const row of actTable)
    if (!ownRoutes.has(row.path) && !isOfConsole(row.path))
      server.route({
        method: row.method,
        url: row.path,
        handler: async (request, reply) =>
          send(reply, await perform(acts, row, request, callers.get(request) ?? { kind: 'anyone' })),
      });
}

const isOfConsole = (path: string): boolean => /^\/console(?:[/?]|$)/.test(path);

function perform(acts: Acts, row: Act, request: FastifyRequest, caller: Caller): Promise<unknown> {
  return acts.perform(row, {
    caller,
    requestId: request.id,
    clientRequestId: clientRequestIdOf(request.raw),
    claimedName: header(request, 'x-operator')?.slice(0, 64),
    idempotencyKey: header(request, 'idempotency-key'),
    params: request.params as Readonly<Record<string, string>>,
    input: row.method === 'GET' ? request.query : request.body,
  });
}

function send(reply: FastifyReply, answer: unknown): FastifyReply {
  if (!(answer instanceof Answer)) return reply.send(answer);
  if (answer.contentType !== undefined) void reply.type(answer.contentType);
  return reply.status(answer.status).send(answer.body);
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
