import { z } from 'zod';
import { postOfEvents } from '../../commands/post/post-outcome.js';
import { streams } from '../../log/streams.js';
import type { ActServices } from './services.js';

/** Items that a page shows of what has more. */
export const SAMPLED = 20;

/** An item for people to look at, by ids alone. */
export const sampledItem = z.strictObject({
  id: z.string(),
  /** Null: it is no post. */
  authorActorId: z.string().nullable(),
  /** True of what is no post, too: its name is shown to every operator. */
  isPublic: z.boolean(),
  /** Time of its newest text, or of the newest profile. Null: unknown, or it never changed. */
  writtenAt: z.number().nullable(),
  /** The event with the text of the post. Null: it is erased. */
  eventId: z.string().nullable(),
});

export type SampledItem = z.infer<typeof sampledItem>;

export type ItemKind = 'posts' | 'accounts' | 'operators';

type Stores = Pick<ActServices, 'log' | 'publicPosts'>;

/** @throws errors of log and stores */
export async function sampleOf(
  { log, publicPosts }: Stores,
  kind: ItemKind,
  all: readonly string[],
): Promise<readonly SampledItem[]> {
  const ids = all.slice(0, SAMPLED);
  if (kind === 'operators') return ids.map((id) => withoutText(id, null));
  if (kind === 'accounts') return Promise.all(ids.map((id) => accountIn(log, id)));
  const versions = await publicPosts.versionsOf(ids);
  return Promise.all(ids.map((id) => postIn(log, id, versions.has(id))));
}

const withoutText = (id: string, writtenAt: number | null): SampledItem => ({
  id,
  authorActorId: null,
  isPublic: true,
  writtenAt,
  eventId: null,
});

async function accountIn(log: Stores['log'], id: string): Promise<SampledItem> {
  const [changed] = await log.read(streams.profile(id), { limit: 1, direction: 'backwards' });
  return withoutText(id, changed?.event.data.at ?? null);
}

async function postIn(log: Stores['log'], id: string, isPublic: boolean): Promise<SampledItem> {
  const recorded = await log.read(streams.post(id));
  const post = postOfEvents(recorded);
  const newest = recorded.findLast(
    ({ event: { type } }) => type === 'post.created' || type === 'post.edited',
  );
  return {
    id,
    authorActorId: post.status === 'absent' ? null : post.authorActorId,
    isPublic,
    writtenAt: newest?.event.data.at ?? null,
    eventId: newest?.erased ? null : (newest?.id ?? null),
  };
}
