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

const eventOf = <Kind extends string, Content extends z.ZodRawShape>(
  kind: Kind,
  content: Content,
  id: string,
) => z.strictObject({ ...common, kind: z.literal(kind), ...content }).meta({ id });

/** Without a name of its own: a client of NSwag with a list of a named union does not compile. */
export const feedEvent = z
  .discriminatedUnion('kind', [
    eventOf('post.created', { post }, 'PostCreatedEvent'),
    eventOf('post.edited', { post }, 'PostEditedEvent'),
    eventOf('post.deleted', { postId: identifier }, 'PostDeletedEvent'),
    eventOf('relation.established', { relation: relationInView }, 'RelationEstablishedEvent'),
    eventOf('relation.ended', { relation: relationInView }, 'RelationEndedEvent'),
    eventOf('profile.changed', { profile: changedProfile }, 'ProfileChangedEvent'),
    eventOf('inbox.added', { entry: inboxEntry }, 'InboxAddedEvent'),
  ])
  .describe('A change, as the caller can see it now.');

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
