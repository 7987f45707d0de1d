import { z } from 'zod';
import type { Post } from '../../../projections/posts/post.js';
import type { AsOfBuild } from '../../background/as-of/builds.js';
import { referenceIn } from '../../background/as-of/text-reference.js';
import type { Listed, PagesOfActor } from '../../background/as-of/view.js';
import type { Disclosed } from '../audit/disclose.js';
import { listOf } from '../desk/schemas.js';
import { shownBuild } from './status.js';
import { profileReference, profileTexts, stateOf, textState } from './texts.js';
import type { PublicTexts } from './texts.js';

const post = z.strictObject({
  id: z.string(),
  authorActorId: z.string(),
  audience: z.literal('public'),
  revision: z.number(),
  createdAt: z.number(),
  originApp: z.strictObject({ id: z.string(), name: z.string() }),
  edited: z.boolean(),
  lastEditAppId: z.string().optional(),
  lastEditAt: z.number().optional(),
  parentId: z.string().optional(),
  rootId: z.string().optional(),
  parentUnavailable: z.boolean().optional(),
  rootUnavailable: z.boolean().optional(),
  /** The event that wrote the text; null: it is erased. */
  eventId: z.string().nullable(),
  texts: textState,
  text: z.string().nullable(),
});

/** Counts and time are null for an account that was suspended then. */
const profile = z.strictObject({
  actorId: z.string(),
  state: z.enum(['active', 'suspended']),
  revision: z.number(),
  createdAt: z.number().nullable(),
  followers: z.number().nullable(),
  following: z.number().nullable(),
  posts: z.number().nullable(),
  eventId: z.string().nullable(),
  texts: textState,
  fields: z
    .strictObject({
      handle: z.string().nullable(),
      displayName: z.string(),
      bio: z.string(),
      website: z.string(),
    })
    .nullable(),
});

const entry = z.strictObject({
  id: z.string(),
  kind: z.enum(['follow', 'like', 'reply', 'mention']),
  sourceActorId: z.string(),
  sourceId: z.string(),
  createdAt: z.number(),
  readAt: z.number().optional(),
});

/** `more`: the list goes on. */
const begin = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: listOf(item), more: z.boolean() });

const shownView = z.strictObject({
  position: z.number(),
  at: z.number(),
  note: z.string(),
  /** As of now, by actor, of those whom anybody can see now. */
  handles: z.record(z.string(), z.string()),
  profile,
  timeline: begin(post),
  posts: begin(post),
  following: begin(z.string()),
  followers: begin(z.string()),
  blocks: begin(z.string()),
  inbox: begin(entry).extend({ unread: z.number() }),
});

/** `view`: undefined until the build is made. */
export const shownAsOf = z.strictObject({
  actor: z.string(),
  build: shownBuild,
  view: shownView.optional(),
});

export type AsOfPost = z.infer<typeof post>;
export type AsOfProfile = z.infer<typeof profile>;
export type AsOfView = z.infer<typeof shownView>;
export type AsOfAnswer = z.infer<typeof shownAsOf>;

const NOTE =
  "Made by today's code from the events up to this position. People who were erased since are left out. A text is shown if anybody can read it now. Handles in lists are those of now.";

export function asOfView(
  { position, at }: AsOfBuild,
  pages: PagesOfActor,
  publicTexts: PublicTexts,
  disclosed: ReadonlyMap<string, Disclosed>,
): AsOfView {
  const posts = ({ items, more }: Listed<Post>) => ({
    items: items.map((post) => asOfPost(post, publicTexts, disclosed)),
    more,
  });
  const { following, followers, blocks, inbox } = pages;
  return {
    position: Number(position),
    at,
    note: NOTE,
    handles: publicTexts.handles,
    profile: asOfProfile(pages, publicTexts, disclosed),
    timeline: posts(pages.timeline),
    posts: posts(pages.posts),
    following,
    followers,
    blocks,
    inbox,
  };
}

function asOfPost(
  { text: written, ...facts }: Post,
  publicTexts: PublicTexts,
  disclosed: ReadonlyMap<string, Disclosed>,
): AsOfPost {
  const reference = referenceIn(written);
  const text = reference && publicTexts.posts.get(reference.eventId);
  if (text !== undefined) return { ...facts, eventId: reference?.eventId ?? null, texts: 'public', text };
  const { shown, ...about } = stateOf(reference, disclosed);
  const found = shown?.texts['text'];
  return { ...facts, ...about, text: typeof found === 'string' ? found : null };
}

function asOfProfile(
  pages: PagesOfActor,
  publicTexts: PublicTexts,
  disclosed: ReadonlyMap<string, Disclosed>,
): AsOfProfile {
  const { profile, shown } = pages;
  const { createdAt = null, followers = null, following = null, posts = null } = shown ?? {};
  const reference = profileReference(pages);
  const { shown: found, ...about } = stateOf(reference, disclosed);
  const fields = publicTexts.profile ?? (found ? profileTexts(found.texts) : null);
  return {
    actorId: profile.actorId,
    state: shown ? 'active' : 'suspended',
    revision: profile.revision,
    createdAt,
    followers,
    following,
    posts,
    ...about,
    ...(publicTexts.profile && { texts: 'public' }),
    fields,
  };
}
