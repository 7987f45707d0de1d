import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { Passwords } from '../../auth/passwords.js';
import { CreateAccount } from '../../commands/account/create-account.js';
import { EraseAccount } from '../../commands/account/erase-account.js';
import { CancelErasure, RequestErasure } from '../../commands/account/plan-erasure.js';
import { ReinstateAccount, SuspendAccount } from '../../commands/account/suspend-account.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { commandMetadata, requestHeader } from './command-metadata.js';
import { erasure, pathId, newAccount, parse, reasonedCommand, reasonedLifecycleCommand } from './schemas.js';

export function accountRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const passwords = app.get(Passwords);

  server.post('/operator/accounts', async (request, reply) => {
    const { password, reason, ...account } = parse(newAccount, request.body);
    const passwordHash = await passwords.hash(password);
    const clientKey = requestHeader(request, 'idempotency-key');
    // Without a client-sent key, the same handle and email identify the retry of an unfinished registration. After an
    // erasure of that account they start a new one.
    const idempotencyKey = JSON.stringify(['operator', clientKey ?? [account.handle, account.email]]);
    const anewOnceErased = clientKey === undefined;
    const { actorId, created } = await commands.execute(
      new CreateAccount(
        { ...account, passwordHash, idempotencyKey, recreateOnceErased: anewOnceErased },
        commandMetadata(request, reason),
      ),
    );
    if (!created && clientKey === undefined)
      throw new HttpRefusal('intent_conflict', 'This account exists already; its password was not changed.');
    return reply.status(201).send({ actorId });
  });

  server.post('/operator/accounts/:id/suspend', (request) => {
    const { reason, revision: lifecycle } = parse(reasonedLifecycleCommand, request.body);
    return commands.execute(
      new SuspendAccount(pathId(request), commandMetadata(request, reason), { lifecycle }),
    );
  });

  server.post('/operator/accounts/:id/reinstate', (request) => {
    const { reason, revision: lifecycle } = parse(reasonedLifecycleCommand, request.body);
    return commands.execute(
      new ReinstateAccount(pathId(request), commandMetadata(request, reason), { lifecycle }),
    );
  });

  server.post('/operator/accounts/:id/erase', (request) => {
    const { reason, revision: lifecycle, delayMs } = parse(erasure, request.body);
    const [actorId, act] = [pathId(request), commandMetadata(request, reason)];
    if (delayMs > 0) return commands.execute(new RequestErasure(actorId, delayMs, act, { lifecycle }));
    return commands.execute(new EraseAccount(actorId, act, { lifecycle }));
  });

  server.post('/operator/accounts/:id/cancel-erasure', (request) => {
    const { reason } = parse(reasonedCommand, request.body);
    return commands.execute(new CancelErasure(pathId(request), commandMetadata(request, reason)));
  });
}
