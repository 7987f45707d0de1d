import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { PausePublishing, ResumePublishing } from '../../commands/network/pause-publishing.js';
import { actOf } from './act-of.js';
import { act, parse } from './schemas.js';

export function publishingRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);

  server.post('/operator/publishing/pause', (request) => {
    const { reason } = parse(act, request.body);
    return commands.execute(new PausePublishing(actOf(request, reason)));
  });

  server.post('/operator/publishing/resume', (request) => {
    const { reason } = parse(act, request.body);
    return commands.execute(new ResumePublishing(actOf(request, reason)));
  });
}
