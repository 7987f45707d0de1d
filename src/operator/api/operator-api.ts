import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { fastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { projectionStatus } from '../../../projections/runner/projection-status.js';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../config/logger.js';
import { sendError } from '../../http/error.filter.js';
import { HttpRefusal } from '../../http/errors.js';
import { acceptOnlyJson } from '../../http/json-body.js';
import { EventLog } from '../../log/event-log.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Postgres } from '../../store/postgres.js';
import { accountRoutes } from './account.routes.js';
import { applicationRoutes } from './application.routes.js';
import { keyRoutes } from './key.routes.js';
import { operatorToken, requireOperator } from './operator-token.js';

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
  acceptOnlyJson(server);
  requireOperator(server, operatorToken(config));
  server.setErrorHandler((error, request, reply) => sendError(explained(error), request, reply));
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
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);
  server.get('/operator/projections', () => projectionStatus(pool, log));
}

function explained(error: unknown): unknown {
  if (!isUnreachable(error)) return error;
  return new HttpRefusal('authority_unavailable', 'A store does not answer; try again.', { cause: error });
}
