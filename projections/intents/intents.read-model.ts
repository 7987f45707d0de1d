import type { ReadQuery } from '../runner/read-query.js';

/**
 * Outcome of a caller's intent within the calling application. `kept`: the intent left an event. `postId`: the post
 * that the intent concerned.
 */
export interface IntentLookup {
  readonly intentId: string;
  readonly outcome: 'kept' | 'unknown';
  readonly postId?: string;
}

interface Row {
  readonly intentId: string;
  readonly kept: boolean;
  readonly postId: string | null;
}

export const intentOutcomes: ReadQuery<{ readonly intentIds: readonly string[] }, readonly IntentLookup[]> = {
  name: 'intent-outcomes',
  values: ({ intentIds }) => [intentIds],
  sql: ({ schema, parameter }) => `(
    SELECT coalesce(json_agg(json_build_object(
      'intentId', asked.intent_id, 'kept', intent.intent_id IS NOT NULL, 'postId', intent.post_id)
      ORDER BY asked.number), '[]')
    FROM unnest(${parameter(1)}::text[]) WITH ORDINALITY AS asked (intent_id, number)
    LEFT JOIN ${schema}.intent ON intent.app_id = caller.app_id AND intent.actor_id = caller.actor_id
      AND intent.intent_id = asked.intent_id)`,
  present: (json) =>
    (json as readonly Row[]).map(({ intentId, kept, postId }): IntentLookup => {
      if (!kept) return { intentId, outcome: 'unknown' };
      return postId === null ? { intentId, outcome: 'kept' } : { intentId, outcome: 'kept', postId };
    }),
};
