import type { InboxEntry } from '../../../projections/inbox/inbox-entry.js';
import type { Post } from '../../../projections/posts/post.js';
import type { AsOfBuild } from '../../background/as-of/builds.js';
import { referenceIn } from '../../background/as-of/text-reference.js';
import type { Listed, PagesOfActor } from '../../background/as-of/view.js';
import type { Disclosed } from '../audit/disclose.js';
import { profileReference, profileTexts, stateOf } from './texts.js';
import type { ProfileTexts, PublicTexts, TextState } from './texts.js';

/** `eventId`: wrote the text; null: it is erased. */
export interface AsOfPost extends Omit<Post, 'text'> {
  readonly eventId: string | null;
  readonly texts: TextState;
  readonly text: string | null;
}

/** Counts and time are null for an account that was suspended then. */
export interface AsOfProfile {
  readonly actorId: string;
  readonly state: 'active' | 'suspended';
  readonly revision: number;
  readonly createdAt: number | null;
  readonly followers: number | null;
  readonly following: number | null;
  readonly posts: number | null;
  readonly eventId: string | null;
  readonly texts: TextState;
  readonly fields: ProfileTexts | null;
}

export interface AsOfView {
  readonly position: number;
  readonly at: number;
  readonly note: string;
  /** As of now, by actor, of those whom anybody can see now. */
  readonly handles: Readonly<Record<string, string>>;
  readonly profile: AsOfProfile;
  readonly timeline: Listed<AsOfPost>;
  readonly posts: Listed<AsOfPost>;
  readonly following: Listed<string>;
  readonly followers: Listed<string>;
  readonly blocks: Listed<string>;
  readonly inbox: Listed<InboxEntry> & { readonly unread: number };
}

const NOTE =
  "Made by today's code from the events up to this position. People who were erased since are left out. A text is shown if anybody can read it now. Handles in lists are those of now.";

export function asOfView(
  { position, at }: AsOfBuild,
  pages: PagesOfActor,
  publicTexts: PublicTexts,
  disclosed: ReadonlyMap<string, Disclosed>,
): AsOfView {
  const posts = ({ items, more }: Listed<Post>): Listed<AsOfPost> => ({
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
