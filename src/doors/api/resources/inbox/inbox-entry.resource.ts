import { z } from 'zod';
import { identifier, timestamp } from '../../requests/values.js';

export const inboxEntry = z
  .strictObject({
    id: identifier,
    kind: z.enum(['follow', 'like', 'reply', 'mention']),
    sourceActorId: identifier.describe('The actor who followed, liked, replied or mentioned.'),
    sourceId: identifier.describe(
      'By kind: identifier of the reply, the mentioning post, the liked post, or the follower.',
    ),
    createdAt: timestamp,
    readAt: timestamp
      .optional()
      .describe('When the entry was marked as read, in Unix milliseconds; absent before.'),
  })
  .meta({ id: 'InboxEntry', description: 'A notification: a follow, like, reply or mention.' });

export const exampleInboxEntry = {
  id: 'i_3Fh8',
  kind: 'reply',
  sourceActorId: 'Lx8pW4tE1cD5',
  sourceId: 'p_9Kw7',
  createdAt: 1_763_700_060_000,
} as const;
