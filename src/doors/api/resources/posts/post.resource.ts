import { z } from 'zod';
import { identifier, nextCursor, revisionField, timestamp } from '../../requests/values.js';

export const post = z
  .strictObject({
    id: identifier,
    authorActorId: identifier,
    text: z.string().min(1).max(2000),
    audience: z.literal('public'),
    revision: revisionField,
    createdAt: timestamp,
    originApp: z
      .strictObject({ id: identifier, name: z.string() })
      .meta({ id: 'OriginApp', description: 'Application that created the post.' }),
    edited: z.boolean(),
    lastEditAppId: identifier.optional().describe('Edited posts: application of the last edit.'),
    lastEditAt: timestamp.optional().describe('Edited posts: time of the last edit, in Unix milliseconds.'),
    parentId: identifier.optional().describe('Replies: the post that this post replies to.'),
    rootId: identifier.optional().describe('Replies: the first post of the thread.'),
    parentUnavailable: z
      .boolean()
      .optional()
      .describe('Replies: true if the post that this post replies to is deleted, or not visible to you.'),
    rootUnavailable: z
      .boolean()
      .optional()
      .describe('Replies: true if the first post of the thread is deleted, or not visible to you.'),
  })
  .meta({ id: 'Post', description: 'A post or a reply.' });

export const pageOfPosts = z
  .strictObject({ posts: z.array(post), cursor: nextCursor })
  .meta({ id: 'PostPage' });

export const examplePost = {
  id: 'p_5dQ2',
  authorActorId: 'Rk3vQ0yN7aB2',
  text: 'The lamps on the pier are lit again.',
  audience: 'public',
  revision: 1,
  createdAt: 1_763_700_000_000,
  originApp: { id: 'pebble', name: 'Pebble' },
  edited: false,
} as const;

export const exampleReply = {
  ...examplePost,
  id: 'p_9Kw7',
  authorActorId: 'Lx8pW4tE1cD5',
  text: 'All of them?',
  createdAt: 1_763_700_060_000,
  parentId: 'p_5dQ2',
  rootId: 'p_5dQ2',
  parentUnavailable: false,
  rootUnavailable: false,
} as const;

/** State of a post after a mutation (network-api.md, "Post creation result"). */
export const postOutcome = z
  .strictObject({
    id: identifier,
    revision: revisionField,
    status: z
      .enum(['published', 'deleted', 'restricted'])
      .describe('State of the post now. If an intent is repeated, it may differ from the first answer.'),
  })
  .meta({ id: 'PostOutcome', description: 'State of a post after a mutation.' });

export const examplePostOutcome = { id: 'p_5dQ2', revision: 1, status: 'published' } as const;
