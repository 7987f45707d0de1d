import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../commands/support/clock.js';
import { RotateSigningKey } from '../../commands/network/rotate-signing-key.js';
import { SigningKeys } from '../../commands/network/signing-keys.js';
import { commandMetadata } from './command-metadata.js';
import { command, parse } from './schemas.js';

/** Routes that list and rotate the signing keys. No answer has a private key. */
export function keyRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const keys = app.get(SigningKeys);
  const clock = app.get(Clock);

  server.get('/operator/signing-keys', () => keys.states(clock.now()));

  server.post('/operator/signing-keys/rotate', async (request, reply) => {
    const { reason } = parse(command, request.body);
    const { keyId: kid, ...rest } = await commands.execute(
      new RotateSigningKey(commandMetadata(request, reason)),
    );
    return reply.send({ kid, ...rest });
  });
}
