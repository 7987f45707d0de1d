import { deepEqual, equal } from 'node:assert/strict';
import type { RealNetwork } from './real-network.js';
import type { Person } from './people.js';
import type { PostModel, NetworkModel } from './network-model.js';

/** Compares every read of one of the people, chosen by `turn`, with the model. */
export async function compareViews(society: NetworkModel, real: RealNetwork, turn: number): Promise<void> {
  const viewer = real.people[turn % real.people.length];
  if (!viewer) throw new Error('nobody is there');
  await comparePosts(society, real, viewer);
  await compareRelations(society, real, viewer);
  await compareInbox(society, real, viewer);
  await compareReconcile(society, real, viewer);
  for (const actor of real.people) await compareActor(society, real, viewer, actor);
  await compareFound(society, real, viewer);
}

const newestFirst = (posts: readonly PostModel[]) => posts.toSorted((a, b) => b.order - a.order);
const idsOf = (posts: readonly { readonly id: string }[]) => posts.map(({ id }) => id);

async function comparePosts(society: NetworkModel, real: RealNetwork, viewer: Person): Promise<void> {
  for (const post of society.posts) {
    const { status, body } = await real.get(viewer, `/api/posts/${post.id}`);
    if (!society.canSee(viewer.actorId, post)) {
      deepEqual([status, body.error], [404, 'post_unavailable']);
      continue;
    }
    const { text, revision, edited } = body.post;
    deepEqual([text, revision, edited], [post.text, post.revision, post.revision > 1]);
    if (post.parent) equal(body.post.parentUnavailable, !society.canSee(viewer.actorId, post.parent));
    const replies = society.posts.filter(({ parent }) => parent === post);
    if (replies.length === 0) continue;
    const page = await real.get(viewer, `/api/posts/${post.id}/replies`);
    deepEqual(
      idsOf(page.body.posts),
      idsOf(replies.filter((reply) => society.canSee(viewer.actorId, reply))),
    );
  }
  const { body } = await real.get(viewer, '/api/timeline?limit=100');
  deepEqual(idsOf(body.posts), idsOf(newestFirst(timelineOf(society, viewer))));
}

const timelineOf = (society: NetworkModel, { actorId }: Person) =>
  society.posts.filter(
    (post) =>
      (post.author === actorId || society.follows(actorId, post.author)) && society.canSee(actorId, post),
  );

function relationsOf(society: NetworkModel, real: RealNetwork, { actorId }: Person) {
  const follows = real.people.map((other) => ({
    kind: 'follow' as const,
    targetId: other.actorId,
    isEligible: !society.isBlockedBetween(actorId, other.actorId),
  }));
  const likes = society.posts.map((post) => ({
    kind: 'like' as const,
    targetId: post.id,
    isEligible: society.canSee(actorId, post),
  }));
  return [...follows, ...likes]
    .map(({ kind, targetId, isEligible }) => {
      return { kind, targetId, isEligible, tie: society.tie(kind, actorId, targetId) };
    })
    .filter(({ isEligible, tie }) => isEligible && tie.stands)
    .sort((a, b) => b.tie.order - a.tie.order)
    .map(({ kind, targetId, tie }) => ({ kind, targetId, generation: String(tie.generation) }));
}

const tieOf = ({ kind, targetId, generation }: Record<string, string>) => ({ kind, targetId, generation });

async function compareRelations(society: NetworkModel, real: RealNetwork, viewer: Person): Promise<void> {
  const { body } = await real.get(viewer, '/api/relations?limit=500');
  deepEqual(body.relations.map(tieOf), relationsOf(society, real, viewer));
  const blocks = await real.get(viewer, '/api/blocks');
  const blocked = real.people.filter((other) => society.blocks.has(`${viewer.actorId}>${other.actorId}`));
  deepEqual(new Set(blocks.body.blocks), new Set(blocked.map(({ actorId }) => actorId)));
}

async function compareInbox(society: NetworkModel, real: RealNetwork, viewer: Person): Promise<void> {
  const { body } = await real.get(viewer, '/api/inbox?limit=100');
  const shown = society.visibleInbox(viewer.actorId);
  const shownOf = ({ kind, sourceActorId, sourceId, readAt }: Record<string, unknown>) => [
    kind,
    sourceActorId,
    sourceId,
    readAt !== undefined,
  ];
  deepEqual(
    body.inbox.map(shownOf),
    shown.map(({ kind, source, sourceId, read }) => [kind, source, sourceId, read]),
  );
  equal(body.unread, shown.filter(({ read }) => !read).length);
}

async function compareReconcile(society: NetworkModel, real: RealNetwork, viewer: Person): Promise<void> {
  const { body } = await real.get(viewer, '/api/reconcile');
  deepEqual(idsOf(body.posts), idsOf(newestFirst(timelineOf(society, viewer))));
  const own = society.posts.filter((post) => post.author === viewer.actorId && !post.deleted);
  deepEqual(idsOf(body.ownPosts), idsOf(newestFirst(own)));
  deepEqual(body.relations.map(tieOf), relationsOf(society, real, viewer));
  equal(body.inbox.length, society.visibleInbox(viewer.actorId).length);
}

/** Asks for the last person first, and twice for everybody. */
async function compareFound(society: NetworkModel, real: RealNetwork, viewer: Person): Promise<void> {
  const asked = real.people.toReversed();
  const shown = asked.filter(({ actorId }) => !society.isBlockedBetween(viewer.actorId, actorId));
  const foundBy = async (query: string) => {
    const { body } = await real.get(viewer, `/api/actors?${query}`);
    return body.actors.map(({ actorId, handle }: Record<string, string>) => [actorId, handle]);
  };
  const ids = [...asked, ...asked].map(({ actorId }) => actorId).join(',');
  deepEqual(
    await foundBy(`ids=${ids}`),
    shown.map(({ actorId, handle }) => [actorId, handle]),
  );
  for (const { actorId, handle } of asked)
    deepEqual(
      await foundBy(`handle=${handle}`),
      shown.filter((other) => other.actorId === actorId).map((other) => [other.actorId, other.handle]),
    );
}

async function compareActor(
  society: NetworkModel,
  real: RealNetwork,
  viewer: Person,
  actor: Person,
): Promise<void> {
  const path = `/api/actors/${actor.actorId}`;
  const { status, body } = await real.get(viewer, path);
  if (society.isBlockedBetween(viewer.actorId, actor.actorId)) {
    for (const page of ['', '/posts', '/following', '/followers'])
      equal((await real.get(viewer, path + page)).status, 404);
    return;
  }
  equal(status, 200);
  const published = society.posts.filter((post) => post.author === actor.actorId && !post.deleted);
  const [followers, following] = [
    real.people.filter((other) => society.follows(other.actorId, actor.actorId)),
    real.people.filter((other) => society.follows(actor.actorId, other.actorId)),
  ];
  const counts = [body.actor.posts, body.actor.followers, body.actor.following];
  deepEqual(counts, [published.length, followers.length, following.length]);
  const posts = await real.get(viewer, `${path}/posts`);
  deepEqual(idsOf(posts.body.posts), idsOf(newestFirst(published)));
  for (const [side, people] of Object.entries({ followers, following })) {
    const page = await real.get(viewer, `${path}/${side}`);
    const shown = people.filter((other) => !society.isBlockedBetween(viewer.actorId, other.actorId));
    const ids = page.body.actors.map(({ actorId }: { actorId: string }) => actorId);
    deepEqual(ids.toSorted(), shown.map(({ actorId }) => actorId).toSorted());
  }
}
