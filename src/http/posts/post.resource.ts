import { z } from 'zod';
import { identifier, revision, timestamp } from '../requests/values.js';

/** network-api.md, "Post". */
export const post = z
  .strictObject({
    id: identifier,
    authorActorId: identifier,
    text: z.string().min(1).max(2000),
    audience: z.literal('public'),
    revision,
    createdAt: timestamp,
    originApp: z.strictObject({ id: identifier, name: z.string() }).describe('Application that created it.'),
    edited: z.boolean(),
    lastEditAppId: identifier.optional().describe('Edited posts: application of the last edit.'),
    lastEditAt: timestamp.optional().describe('Edited posts: time of the last edit, in Unix milliseconds.'),
    parentId: identifier.optional().describe('Replies: the post that this one answers.'),
    rootId: identifier.optional().describe('Replies: the post that the thread began with.'),
    parentUnavailable: z.boolean().optional().describe('Replies: the parent cannot be shown to you.'),
    rootUnavailable: z.boolean().optional().describe('Replies: the root cannot be shown to you.'),
  })
  .meta({ id: 'Post', description: 'A post or a reply.' });

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

/** network-api.md, "Post creation result". */
export const postOutcome = z
  .strictObject({
    id: identifier,
    revision,
    status: z
      .enum(['published', 'deleted', 'restricted'])
      .describe('Of the post now, also where a spent intent is repeated.'),
  })
  .meta({ id: 'PostOutcome', description: 'What became of a post.' });

export const examplePostOutcome = { id: 'p_5dQ2', revision: 1, status: 'published' } as const;
