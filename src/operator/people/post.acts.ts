import { RestrictPost, UnrestrictPost } from '../../commands/post/restrict-post.js';
import { aggregates, readState } from '../../commands/support/aggregates.js';
import { streams } from '../../log/streams.js';
import { aboutOne } from '../desk/approvals/words.js';
import { ABOVE_ALLOWANCE, act } from '../desk/act.js';
import type { ApprovalRule } from '../desk/act.js';
import type { ActServices } from '../desk/services.js';
import { idIn, lifecycleChange, lifecycleChanged } from '../desk/schemas.js';

/** An operator's command waits this long for the read models before it answers. The restriction is already in force. */
const WAIT_MS = 3_000;

async function execute({ commands, positions }: ActServices, command: RestrictPost | UnrestrictPost) {
  const { changed, revision, position } = await commands.execute(command);
  await positions.waitFor(position, WAIT_MS);
  return { changed, revision };
}

const restrictionApproval: ApprovalRule<unknown> = {
  when: ABOVE_ALLOWANCE,
  words: () => ({
    asks: 'Restrict a post',
    does: 'Nobody sees the post any more, until an operator lifts the restriction.',
    about: aboutOne('posts', 'restricts'),
  }),
  restricts: () => Promise.resolve(1),
  preview: async (_input, { services: { log }, params }) => {
    const postId = idIn(params);
    const { status } = await readState(log, aggregates.post(postId));
    return { facts: { restricts: postId, state: status } };
  },
  streamOf: (params) => streams.post(idIn(params)),
};

export const postActs = [
  act({
    name: 'post.restrict',
    may: 'posts.restrict',
    route: 'POST /operator/posts/:id/restrict',
    command: 'post restrict',
    reason: 'required',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    approval: restrictionApproval,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      execute(services, new RestrictPost(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'post.unrestrict',
    may: 'posts.restrict',
    route: 'POST /operator/posts/:id/unrestrict',
    command: 'post unrestrict',
    reason: 'required',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      execute(services, new UnrestrictPost(idIn(params), metadata, { lifecycle })),
  }),
];
