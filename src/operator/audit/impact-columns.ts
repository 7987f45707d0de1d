import type { ApplicationImpact } from '../../../projections/audit/impact.read-model.js';

/** Headings of the counts of an hour, with their types of events. */
const columns = {
  posts: 'post.created',
  follows: 'relation.established (follow)',
  likes: 'relation.established (like)',
  grants: 'grant.issued',
} as const;

export const impactHeadings = [...Object.keys(columns), 'other'];

export function impactCounts(acts: ApplicationImpact['acts']): readonly number[] {
  const shown: readonly string[] = Object.values(columns);
  const other = Object.entries(acts).reduce(
    (sum, [act, events]) => (shown.includes(act) ? sum : sum + events),
    0,
  );
  return [...shown.map((act) => acts[act] ?? 0), other];
}
