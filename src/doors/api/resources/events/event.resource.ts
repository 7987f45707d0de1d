import { z } from 'zod';
import { exampleInboxEntry, inboxEntry } from '../inbox/inbox-entry.resource.js';
import { examplePost, post } from '../posts/post.resource.js';
import { relationInView } from '../relations/relation.resource.js';
import { identifier, timestamp } from '../../requests/values.js';

const changedProfile = z
  .strictObject({
    actorId: identifier,
    handle: z.string().nullable(),
    displayName: z.string(),
    bio: z.string(),
    website: z.string(),
  })
  .meta({ id: 'ChangedProfile', description: 'A profile as others see it.' });

const common = {
  position: z.int().min(0).describe('Position in the log.'),
  at: timestamp,
  actorId: identifier.describe('The actor whose action is the event.'),
};

export const feedEvent = z
  .discriminatedUnion('kind', [
    z.strictObject({ ...common, kind: z.enum(['post.created', 'post.edited']), post }),
    z.strictObject({ ...common, kind: z.literal('post.deleted'), postId: identifier }),
    z.strictObject({
      ...common,
      kind: z.enum(['relation.established', 'relation.ended']),
      relation: relationInView,
    }),
    z.strictObject({ ...common, kind: z.literal('profile.changed'), profile: changedProfile }),
    z.strictObject({ ...common, kind: z.literal('inbox.added'), entry: inboxEntry }),
  ])
  .meta({ id: 'Event', description: 'A change, as the caller can see it now.' });

export const exampleEvents = [
  {
    position: 48_213,
    kind: 'post.created',
    at: 1_763_700_000_000,
    actorId: 'Rk3vQ0yN7aB2',
    post: examplePost,
  },
  {
    position: 48_377,
    kind: 'inbox.added',
    at: 1_763_700_060_000,
    actorId: 'Lx8pW4tE1cD5',
    entry: exampleInboxEntry,
  },
] as const;
