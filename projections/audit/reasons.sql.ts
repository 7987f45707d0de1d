import type { Parameters } from '../runner/parameters.js';

/** `isBegin`: the reason begins with `text`, else it is that. Exact to the case, up to the 500th character. */
export interface ReasonCondition {
  readonly text: string;
  readonly isBegin: boolean;
}

/** The expression of the index `audit.event_by_reason`. */
export const REASON = '(left(event.reason, 500) COLLATE "C")';

/** Above each text that begins with the parameter, in the order of code points. */
const above = (begin: string): string => `(${begin}::text || U&'\\+10FFFF')`;

/** SQL of a condition on `event`. */
export function isReason({ text, isBegin }: ReasonCondition, parameters: Parameters): string {
  const given = parameters.add(text);
  return isBegin ? `${REASON} >= ${given} AND ${REASON} < ${above(given)}` : `${REASON} = ${given}`;
}

/** SQL of the different reasons (`reason`) that begin with a text: one look at the index for each. */
export function reasonsThatBegin(text: string, parameters: Parameters): string {
  const given = parameters.add(text);
  const next = (lowest: string) => `
    SELECT ${REASON} AS reason FROM audit.event
    WHERE event.reason IS NOT NULL AND ${REASON} ${lowest} AND ${REASON} < ${above(given)} ORDER BY 1 LIMIT 1`;
  return `
    WITH RECURSIVE listed AS (
      (${next(`>= ${given}`)})
      UNION ALL SELECT following.reason FROM listed CROSS JOIN LATERAL (${next('> listed.reason')}) AS following
    ) SELECT reason FROM listed`;
}
