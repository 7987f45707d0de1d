import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { fastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { projectionStatus } from '../../../projections/runner/projection-status.js';
import { ErasurePendingError } from '../../commands/account/erasure-steps.js';
import { Config } from '../../config/config.js';
import { limits } from '../../config/limit-settings.js';
import { LOGGER } from '../../config/logger.js';
import { sendError } from '../../http/server/error.filter.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { acceptOnlyJson } from '../../http/requests/json-body.js';
import { boundUnreadAnswers } from '../../http/slow-readers/unread-answers.js';
import { EventLog, LogUnavailable, NotWitnessed } from '../../log/event-log.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Postgres } from '../../store/postgres.js';
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
 * Starts the operator API on its own address: operators are let in by a token and are not people of the network.
 * Shares the application's providers. Rejects if the address is taken.
 */
export async function startOperatorApi(app: INestApplicationContext): Promise<{ close(): Promise<void> }> {
  const config = app.get(Config);
  const server = fastify({
    loggerInstance: app.get<FastifyBaseLogger>(LOGGER),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
  });
  boundUnreadAnswers(server.server, limits.connections);
  acceptOnlyJson(server);
  requireOperator(server, operatorToken(config));
  server.setErrorHandler((error, request, reply) => sendError(explained(error, request), request, reply));
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

/** Operators have no intents: what they hear of a store that is away is whether to run the command again. */
function explained(error: unknown, request: FastifyRequest): unknown {
  // Says already what it is, whatever it came from.
  if (error instanceof HttpRefusal) return error;
  const options = { cause: error };
  if (error instanceof NotWitnessed)
    return new HttpRefusal(error.code, `${error.message} ${adviceOf(error)}`, options);
  if (error instanceof ErasurePendingError)
    return new HttpRefusal('protected_read_unavailable', FORGOTTEN_LATER, options);
  if (error instanceof LogUnavailable)
    return new HttpRefusal('domain_storage_unavailable', whatIsKnown(request), options);
  return isUnreachable(error)
    ? new HttpRefusal('authority_unavailable', whatIsKnown(request), options)
    : error;
}

const FORGOTTEN_LATER =
  'The account is erased, and its key destroyed. Reads show nothing of it; read models hold something of it until a worker has come so far: look at /readyz, and run the command again.';

function adviceOf({ code }: NotWitnessed): string {
  if (code === 'restriction_witness_required') return 'Set WITNESS_DATABASE_URL, and start again.';
  return code === 'witness_acceptance_mismatch'
    ? 'Look at the recovery status.'
    : 'Run the command again, which is safe.';
}

function whatIsKnown({ method, routeOptions }: FastifyRequest): string {
  if (method === 'GET') return 'A store does not answer; try again.';
  const another = makesAnother[routeOptions.url ?? ''];
  return another === undefined
    ? 'It is not known whether this was done; run the command again, which is safe.'
    : `It is not known whether this was done; run the command again, and another ${another} is made.`;
}

/** Acts that are no retries when they are repeated. */
const makesAnother: Readonly<Record<string, string>> = {
  '/operator/applications': 'application with another secret',
  '/operator/applications/:id/rotate-secret': 'secret',
  '/operator/backups': 'backup',
};
