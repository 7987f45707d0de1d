import { RestrictPost, UnrestrictPost } from '../../commands/post/restrict-post.js';
import { act } from './act.js';
import type { ActServices } from './services.js';
import { idIn, lifecycleChange } from './schemas.js';

/** An operator's command waits this long for the read models before it answers. The restriction is already in force. */
const WAIT_MS = 3_000;

async function execute({ commands, positions }: ActServices, command: RestrictPost | UnrestrictPost) {
  const { changed, revision, position } = await commands.execute(command);
  await positions.waitFor(position, WAIT_MS);
  return { changed, revision };
}

export const postActs = [
  act({
    name: 'post.restrict',
    may: 'posts.restrict',
    route: 'POST /operator/posts/:id/restrict',
    command: 'post restrict',
    reason: 'required',
    inConsole: true,
    input: lifecycleChange,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      execute(services, new RestrictPost(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'post.unrestrict',
    may: 'posts.restrict',
    route: 'POST /operator/posts/:id/unrestrict',
    command: 'post unrestrict',
    reason: 'required',
    inConsole: true,
    input: lifecycleChange,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      execute(services, new UnrestrictPost(idIn(params), metadata, { lifecycle })),
  }),
];
