import { z } from 'zod';
import { clear, event, id, inData, personal, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

const post = { postId: pseudonym(id), authorActorId: pseudonym(id) };
const ofPost = event(post);
const text = personal(z.string(), '');
/** Actors. */
const mentions = personal(z.array(id), []);
const person = 'authorActorId';

export const postEvents = {
  /** A reply names its parent, the author of the parent (who is notified) and the root of its thread. */
  'post.created': event(
    {
      ...post,
      appId: clear(id),
      text,
      audience: inData(z.literal('public')),
      mentions,
      parentId: pseudonym(id.optional()),
      parentAuthorActorId: pseudonym(id.optional()),
      rootId: pseudonym(id.optional()),
    },
    { person, upcasters: [(first) => ({ ...first, mentions: [] })] },
  ),
  /** Text and mentions replace the previous ones. `revision`: of the post, from 1. */
  'post.edited': event(
    { ...post, appId: clear(id), text, mentions, revision: clear(z.int().positive()) },
    { person },
  ),
  'post.deleted': ofPost,
  'post.restricted': ofPost,
  'post.unrestricted': ofPost,
};

export type PostCreated = EventIn<typeof postEvents, 'post.created'>;
export type PostEdited = EventIn<typeof postEvents, 'post.edited'>;
export type PostDeleted = EventIn<typeof postEvents, 'post.deleted'>;
export type PostRestricted = EventIn<typeof postEvents, 'post.restricted'>;
export type PostUnrestricted = EventIn<typeof postEvents, 'post.unrestricted'>;
export type PostEvent = EventIn<typeof postEvents>;
