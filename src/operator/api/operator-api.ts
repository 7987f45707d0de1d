import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { fastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { projectionStatus } from '../../../projections/runner/projection-status.js';
import { Passwords } from '../../auth/passwords.js';
import { CreateAccount } from '../../commands/create-account.js';
import { RegisterApplication } from '../../commands/register-application.js';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../config/logger.js';
import { sendError } from '../../http/error.filter.js';
import { HttpRefusal } from '../../http/errors.js';
import { acceptOnlyJson } from '../../http/json-body.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Postgres } from '../../store/postgres.js';
import { operatorToken, requireOperator } from './operator-token.js';
import { newAccount, newApplication, parse } from './schemas.js';

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
  const commands = app.get(CommandBus);
  const passwords = app.get(Passwords);
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);

  server.post('/operator/applications', async (request, reply) => {
    const { reason, ...application } = parse(newApplication, request.body);
    const registered = await commands.execute(new RegisterApplication(application, actOf(request, reason)));
    return reply.status(201).send(registered);
  });

  server.post('/operator/accounts', async (request, reply) => {
    const { password, reason, ...account } = parse(newAccount, request.body);
    const passwordHash = await passwords.hash(password);
    const named = header(request, 'idempotency-key');
    // Without a name of its own, the same person's account tried again is the same registration, if it is unfinished.
    // Erasure must mind: after it, handle and e-mail still name the erased actor, and are refused (intent_conflict).
    const idempotencyKey = JSON.stringify(['operator', named ?? [account.handle, account.email]]);
    const { actorId, created } = await commands.execute(
      new CreateAccount({ ...account, passwordHash, idempotencyKey }, actOf(request, reason)),
    );
    if (!created && named === undefined)
      throw new HttpRefusal(
        'intent_conflict',
        'This account is already there; its password was not changed.',
      );
    return reply.status(201).send({ actorId });
  });

  server.get('/operator/projections', () => projectionStatus(pool, log));
}

/** What the log keeps of an operator's act. */
function actOf(request: FastifyRequest, reason: string | undefined): EventMetadata {
  const operator = header(request, 'x-operator')?.slice(0, 64) ?? 'operator';
  return { requestId: request.id, operator, reason };
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function explained(error: unknown): unknown {
  if (!isUnreachable(error)) return error;
  return new HttpRefusal('authority_unavailable', 'A store does not answer; try again.', { cause: error });
}
