import { z } from 'zod';
import type { Post } from '../../../projections/posts/post.js';
import type { PublicProfile } from '../../../projections/profile/profile.read-model.js';
import { referenceIn } from '../../background/as-of/text-reference.js';
import type { TextReference } from '../../background/as-of/text-reference.js';
import type { PagesOfActor } from '../../background/as-of/view.js';
import type { EventLog } from '../../log/event-log.js';
import type { ActServices } from '../desk/services.js';
import type { Disclosed } from '../audit/disclose.js';

/** `hidden`: not public now, and not disclosed. `erased`: nobody can read it. */
export const textState = z.enum(['public', 'disclosed', 'hidden', 'erased']);

type TextState = z.infer<typeof textState>;

export type ProfileTexts = Omit<PublicProfile, 'revision'>;

/** The texts of the pages that anybody can read now. `posts`: by event id. `profile`: undefined if it changed since. */
export interface PublicTexts {
  readonly posts: ReadonlyMap<string, string>;
  readonly profile: ProfileTexts | undefined;
  readonly handles: Readonly<Record<string, string>>;
}

const postsOf = ({ timeline, posts }: PagesOfActor): readonly Post[] => [...timeline.items, ...posts.items];

export const profileReference = ({
  profile: { handle, displayName },
}: PagesOfActor): TextReference | undefined => referenceIn(displayName) ?? referenceIn(handle);

/** @throws {LogUnavailable} */
export async function publicTextsOf(
  {
    log,
    publicPosts,
    publicProfiles,
  }: Pick<ActServices, 'publicPosts' | 'publicProfiles'> & { readonly log: EventLog },
  pages: PagesOfActor,
): Promise<PublicTexts> {
  const { profile, following, followers, blocks, inbox } = pages;
  const posts = postsOf(pages);
  const actors = [
    profile.actorId,
    ...posts.map(({ authorActorId }) => authorActorId),
    ...[following, followers, blocks].flatMap(({ items }) => items),
    ...inbox.items.map(({ sourceActorId }) => sourceActorId),
  ];
  const [versions, profiles] = await Promise.all([
    publicPosts.versionsOf([...new Set(posts.map(({ id }) => id))]),
    publicProfiles.of([...new Set(actors)]),
  ]);
  const same = posts.filter(({ id, revision }) => versions.get(id)?.revision === revision);
  const now = profiles.get(profile.actorId);
  return {
    posts: await textsOf(log, once(same.map(({ text }) => referenceIn(text)))),
    profile: now?.revision === profile.revision ? profileTexts({ ...now }) : undefined,
    handles: Object.fromEntries(
      [...profiles].flatMap(([id, { handle }]) => (handle === null ? [] : [[id, handle]])),
    ),
  };
}

export function hiddenEvents(pages: PagesOfActor, texts: PublicTexts): readonly string[] {
  const references = once([
    texts.profile ? undefined : profileReference(pages),
    ...postsOf(pages).map(({ text }) => referenceIn(text)),
  ]);
  return references.map(({ eventId }) => eventId).filter((eventId) => !texts.posts.has(eventId));
}

export const profileTexts = (fields: Readonly<Record<string, unknown>>): ProfileTexts => ({
  handle: typeof fields['handle'] === 'string' ? fields['handle'] : null,
  displayName: text(fields['displayName']),
  bio: text(fields['bio']),
  website: text(fields['website']),
});

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function stateOf(
  reference: TextReference | undefined,
  disclosed: ReadonlyMap<string, Disclosed>,
): { readonly eventId: string | null; readonly texts: TextState; readonly shown?: Disclosed } {
  if (!reference) return { eventId: null, texts: 'erased' };
  const { eventId } = reference;
  const shown = disclosed.get(eventId);
  if (!shown) return { eventId, texts: 'hidden' };
  return shown.erased ? { eventId, texts: 'erased' } : { eventId, texts: 'disclosed', shown };
}

const once = (references: readonly (TextReference | undefined)[]): readonly TextReference[] => [
  ...new Map(references.flatMap((each) => (each ? [[each.eventId, each] as const] : []))).values(),
];

async function textsOf(
  log: EventLog,
  references: readonly TextReference[],
): Promise<ReadonlyMap<string, string>> {
  const read = await Promise.all(
    references.map(({ stream, revision }) => log.read(stream, { from: BigInt(revision), limit: 1 })),
  );
  return new Map(
    read
      .flat()
      .flatMap(({ id, event: { data }, erased }) => (erased || !('text' in data) ? [] : [[id, data.text]])),
  );
}
