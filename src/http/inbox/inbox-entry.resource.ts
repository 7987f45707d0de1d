import { z } from 'zod';
import { identifier, timestamp } from '../requests/values.js';

/** network-api.md, "Inbox entry". */
export const inboxEntry = z
  .strictObject({
    id: identifier,
    kind: z.enum(['follow', 'like', 'reply', 'mention']),
    sourceActorId: identifier.describe('Who did it.'),
    sourceId: identifier.describe(
      'What it is about: the reply, the post that mentions or is liked, the follower.',
    ),
    createdAt: timestamp,
    readAt: timestamp.optional().describe('Unix milliseconds. Absent until it is read.'),
  })
  .meta({ id: 'InboxEntry', description: 'Something that happened to the caller.' });

export const exampleInboxEntry = {
  id: 'i_3Fh8',
  kind: 'reply',
  sourceActorId: 'Lx8pW4tE1cD5',
  sourceId: 'p_9Kw7',
  createdAt: 1_763_700_060_000,
} as const;
