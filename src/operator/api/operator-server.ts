import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { fastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { projectionStatus } from '../../../projections/runner/projection-status.js';
import { ErasurePendingError } from '../../commands/account/erasure-steps.js';
import { Config } from '../../config/config.js';
import { limits } from '../../config/limit-settings.js';
import { LOGGER } from '../../config/logger.js';
import { arrivalDeadline } from '../../http/server/arrival-deadline.js';
import { sendError } from '../../http/server/error.filter.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { acceptOnlyJson } from '../../http/requests/json-body.js';
import { refuseUnreadable, trackExchanges } from '../../http/requests/unreadable.js';
import { boundUnreadAnswers } from '../../http/slow-readers/unread-answers.js';
import { EventLog, LogUnavailable, NotWitnessed } from '../../log/event-log.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Postgres } from '../../store/postgres.js';
import { observeRequests } from '../../telemetry/requests.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import { accountRoutes } from './account.routes.js';
import { applicationRoutes } from './application.routes.js';
import { auditRoutes } from './audit.routes.js';
import { backupRoutes } from './backup.routes.js';
import { jobRoutes } from './job.routes.js';
import { keyRoutes } from './key.routes.js';
import { metricsRoutes } from './metrics.routes.js';
import { operatorToken, requireOperator } from './operator-token.js';
import { postRoutes } from './post.routes.js';
import { publishingRoutes } from './publishing.routes.js';
import { recoveryRoutes } from './recovery.routes.js';

/**
 * Starts the operator API on its own address: operators authenticate with a token, not as accounts of the network.
 * @throws the address is in use.
 */
export async function startOperatorApi(app: INestApplicationContext): Promise<{ close(): Promise<void> }> {
  const config = app.get(Config);
  const server = fastify({
    loggerInstance: app.get<FastifyBaseLogger>(LOGGER),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuseUnreadable(error, socket, {}),
    ...arrivalDeadline(limits.connections),
  });
  observeRequests(server, app.get(Telemetry));
  boundUnreadAnswers(server.server, limits.connections);
  trackExchanges(server.server);
  acceptOnlyJson(server);
  requireOperator(server, operatorToken(config));
  server.setErrorHandler((error, request, reply) => sendError(explain(error, request), request, reply));
  server.setNotFoundHandler((request, reply) =>
    sendError(new HttpRefusal('not_found', 'There is nothing at this address.'), request, reply),
  );
  routes(server, app);
  await server.listen({ host: config.operatorHost, port: config.operatorPort });
  return { close: () => server.close() };
}

function routes(server: FastifyInstance, app: INestApplicationContext): void {
  applicationRoutes(server, app);
  accountRoutes(server, app);
  keyRoutes(server, app);
  metricsRoutes(server, app);
  postRoutes(server, app);
  publishingRoutes(server, app);
  auditRoutes(server, app);
  backupRoutes(server, app);
  jobRoutes(server, app);
  recoveryRoutes(server, app);
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);
  server.get('/operator/projections', () => projectionStatus(pool, log));
}

/**
 * Converts an error for an operator. Operators send no intent identifiers, so after an outage the message says if a
 * retry is safe.
 */
function explain(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof HttpRefusal) return error;
  const options = { cause: error };
  if (error instanceof NotWitnessed)
    return new HttpRefusal(error.code, `${error.message} ${witnessAdvice(error)}`, options);
  if (error instanceof ErasurePendingError)
    return new HttpRefusal('protected_read_unavailable', CLEANUP_PENDING, options);
  if (error instanceof LogUnavailable)
    return new HttpRefusal('domain_storage_unavailable', outcomeAdvice(request), options);
  return isUnreachable(error)
    ? new HttpRefusal('authority_unavailable', outcomeAdvice(request), options)
    : error;
}

const CLEANUP_PENDING =
  'The account is erased, and its key destroyed. Reads no longer show it, but its rows stay until a worker removes them: check /readyz, then run the command again.';

function witnessAdvice({ code }: NotWitnessed): string {
  if (code === 'restriction_witness_required') return 'Set WITNESS_DATABASE_URL, then restart the network.';
  return code === 'witness_acceptance_mismatch'
    ? 'Check plaza recovery status.'
    : 'Run the command again, which is safe.';
}

function outcomeAdvice({ method, routeOptions }: FastifyRequest): string {
  if (method === 'GET') return 'A store does not answer; try again.';
  const duplicate = notIdempotent[routeOptions.url ?? ''];
  return duplicate === undefined
    ? 'It is not known whether this was done; run the command again, which is safe.'
    : `It is not known whether this was done; run the command again, and another ${duplicate} is made.`;
}

/** Routes that create a further resource when repeated, with the name of that resource. */
const notIdempotent: Readonly<Record<string, string>> = {
  '/operator/applications': 'application with another secret',
  '/operator/applications/:id/rotate-secret': 'secret',
  '/operator/backups': 'backup',
};
