import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../commands/support/clock.js';
import { RegisterApplication } from '../../commands/application/register-application.js';
import { RevokeGrants } from '../../commands/grant/revoke-grants.js';
import { RotateClientSecret } from '../../commands/application/rotate-client-secret.js';
import { ReinstateApplication, SuspendApplication } from '../../commands/application/suspend-application.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { commandMetadata } from './command-metadata.js';
import { applicationsOf } from './applications.js';
import {
  command,
  pathId,
  newApplication,
  parse,
  secretRotationCommand,
  lifecycleCommand,
} from './schemas.js';

export function applicationRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const store = app.get(AuthorityStore);
  const clock = app.get(Clock);
  const one = '/operator/applications/:id';

  server.get('/operator/applications', () => applicationsOf(store, clock.now()));

  server.post('/operator/applications', async (request, reply) => {
    const { reason, ...application } = parse(newApplication, request.body);
    const registered = await commands.execute(
      new RegisterApplication(application, commandMetadata(request, reason)),
    );
    return reply.status(201).send(registered);
  });

  server.post(`${one}/suspend`, (request) => {
    const { reason, revision: lifecycle } = parse(lifecycleCommand, request.body);
    return commands.execute(
      new SuspendApplication(pathId(request), commandMetadata(request, reason), { lifecycle }),
    );
  });

  server.post(`${one}/reinstate`, (request) => {
    const { reason, revision: lifecycle } = parse(lifecycleCommand, request.body);
    return commands.execute(
      new ReinstateApplication(pathId(request), commandMetadata(request, reason), { lifecycle }),
    );
  });

  server.post(`${one}/rotate-secret`, (request) => {
    const { overlapMs, reason } = parse(secretRotationCommand, request.body);
    return commands.execute(
      new RotateClientSecret(pathId(request), overlapMs, commandMetadata(request, reason)),
    );
  });

  server.post(`${one}/revoke-grants`, (request) => {
    const { reason } = parse(command, request.body);
    const target = { cause: 'operator', appId: pathId(request) } as const;
    return commands.execute(new RevokeGrants(target, commandMetadata(request, reason)));
  });
}
