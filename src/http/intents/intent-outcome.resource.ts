import { z } from 'zod';
import { intentId } from '../requests/fields.js';
import { identifier } from '../requests/values.js';

/** decisions.md, "Operations the document implies". */
export const intentOutcome = z
  .strictObject({
    intentId,
    outcome: z.enum(['kept', 'unknown']).describe('Whether it was carried out.'),
    postId: identifier.optional().describe('Where it made, changed or deleted a post: which one.'),
  })
  .meta({ id: 'IntentOutcome', description: 'What became of an intent.' });

export const exampleIntentOutcomes = [
  { intentId: 'post-1', outcome: 'kept', postId: 'p_5dQ2' },
  { intentId: 'follow-1', outcome: 'unknown' },
] as const;
