import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../commands/support/ambient.js';
import { RegisterApplication } from '../../commands/application/register-application.js';
import { RevokeGrantsOf } from '../../commands/grant/revoke-grants-of.js';
import { RotateClientSecret } from '../../commands/application/rotate-client-secret.js';
import { ReinstateApplication, SuspendApplication } from '../../commands/application/suspend-application.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { actOf } from './act-of.js';
import { applicationsOf } from './applications.js';
import { act, idOf, newApplication, parse, secretRotation, turn } from './schemas.js';

export function applicationRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const store = app.get(AuthorityStore);
  const clock = app.get(Clock);
  const one = '/operator/applications/:id';

  server.get('/operator/applications', () => applicationsOf(store, clock.now()));

  server.post('/operator/applications', async (request, reply) => {
    const { reason, ...application } = parse(newApplication, request.body);
    const registered = await commands.execute(new RegisterApplication(application, actOf(request, reason)));
    return reply.status(201).send(registered);
  });

  server.post(`${one}/suspend`, (request) => {
    const { reason, revision: lifecycle } = parse(turn, request.body);
    return commands.execute(new SuspendApplication(idOf(request), actOf(request, reason), { lifecycle }));
  });

  server.post(`${one}/reinstate`, (request) => {
    const { reason, revision: lifecycle } = parse(turn, request.body);
    return commands.execute(new ReinstateApplication(idOf(request), actOf(request, reason), { lifecycle }));
  });

  server.post(`${one}/rotate-secret`, (request) => {
    const { overlapMs, reason } = parse(secretRotation, request.body);
    return commands.execute(new RotateClientSecret(idOf(request), overlapMs, actOf(request, reason)));
  });

  server.post(`${one}/revoke-grants`, (request) => {
    const { reason } = parse(act, request.body);
    const target = { cause: 'operator', appId: idOf(request) } as const;
    return commands.execute(new RevokeGrantsOf(target, actOf(request, reason)));
  });
}
