import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import { PositionListener } from '../../incarnations/position-listener.js';
import { RestrictPost, UnrestrictPost } from '../../commands/post/restrict-post.js';
import { commandMetadata } from './command-metadata.js';
import { pathId, parse, reasonedLifecycleCommand } from './schemas.js';

/** An operator's command waits this long for the read models before it answers. The restriction is already in force. */
const WAIT_MS = 3_000;

export function postRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const positions = app.get(PositionListener);

  const execute = async (command: RestrictPost | UnrestrictPost) => {
    const { changed, revision, position } = await commands.execute(command);
    await positions.waitFor(position, WAIT_MS);
    return { changed, revision };
  };

  server.post('/operator/posts/:id/restrict', (request) => {
    const { reason, revision: lifecycle } = parse(reasonedLifecycleCommand, request.body);
    return execute(new RestrictPost(pathId(request), commandMetadata(request, reason), { lifecycle }));
  });

  server.post('/operator/posts/:id/unrestrict', (request) => {
    const { reason, revision: lifecycle } = parse(reasonedLifecycleCommand, request.body);
    return execute(new UnrestrictPost(pathId(request), commandMetadata(request, reason), { lifecycle }));
  });
}
