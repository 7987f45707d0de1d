import { z } from 'zod';
import { intentId } from '../../requests/fields.js';
import { identifier } from '../../requests/values.js';

export const intentOutcome = z
  .strictObject({
    intentId,
    outcome: z.enum(['kept', 'unknown']).describe('`kept`: the intent was executed.'),
    postId: identifier.optional().describe('The post that the intent created, changed or deleted.'),
  })
  .meta({ id: 'IntentOutcome', description: 'Outcome of an intent.' });

export const exampleIntentOutcomes = [
  { intentId: 'post-1', outcome: 'kept', postId: 'p_5dQ2' },
  { intentId: 'follow-ana-1', outcome: 'unknown' },
] as const;
