import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { PausePublishing, ResumePublishing } from '../../commands/network/pause-publishing.js';
import { commandMetadata } from './command-metadata.js';
import { command, parse } from './schemas.js';

export function publishingRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);

  server.post('/operator/publishing/pause', (request) => {
    const { reason } = parse(command, request.body);
    return commands.execute(new PausePublishing(commandMetadata(request, reason)));
  });

  server.post('/operator/publishing/resume', (request) => {
    const { reason } = parse(command, request.body);
    return commands.execute(new ResumePublishing(commandMetadata(request, reason)));
  });
}
