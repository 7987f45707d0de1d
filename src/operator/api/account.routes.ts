import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { Passwords } from '../../auth/passwords.js';
import { CreateAccount } from '../../commands/create-account.js';
import { ReinstateAccount, SuspendAccount } from '../../commands/suspend-account.js';
import { HttpRefusal } from '../../http/errors.js';
import { actOf, header } from './act-of.js';
import { idOf, newAccount, parse, reasonedTurn } from './schemas.js';

/** `/operator/accounts…`: the people of the network. */
export function accountRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const passwords = app.get(Passwords);

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

  server.post('/operator/accounts/:id/suspend', (request) => {
    const { reason, revision: lifecycle } = parse(reasonedTurn, request.body);
    return commands.execute(new SuspendAccount(idOf(request), actOf(request, reason), { lifecycle }));
  });

  server.post('/operator/accounts/:id/reinstate', (request) => {
    const { reason, revision: lifecycle } = parse(reasonedTurn, request.body);
    return commands.execute(new ReinstateAccount(idOf(request), actOf(request, reason), { lifecycle }));
  });
}
