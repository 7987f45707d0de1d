import type { ShownFacts } from '../desk/act.js';
import type { ApprovalWords } from '../desk/approvals/words.js';
import { SAMPLED } from '../desk/sample.js';

const FIRST = `the first ${SAMPLED}`;
const ALL = 'all';

/** The ids that a request of a batch shows. All are in its digest. */
export const firstItems = (items: readonly string[]): ShownFacts => ({
  [items.length > SAMPLED ? FIRST : ALL]: items.slice(0, SAMPLED),
});

export const aboutFirst = (
  kind: 'posts' | 'accounts',
  facts: ShownFacts,
  count: number,
): ApprovalWords['about'] => ({ kind, fact: FIRST in facts ? FIRST : ALL, count });

export function batchWords(facts: ShownFacts): ApprovalWords {
  const count = Number(facts['items'] ?? 0);
  const kind = facts['restricts'] === 'accounts' ? 'accounts' : 'posts';
  const [verb, then] =
    kind === 'posts'
      ? ['Restrict', 'Nobody sees these posts any more.']
      : [
          'Suspend',
          'The people of these accounts can do nothing any more, and nobody sees their profiles and posts.',
        ];
  return {
    asks: `${verb} ${count} ${count === 1 ? kind.slice(0, -1) : kind}`,
    does: `${then} It is one batch, which an operator can undo. Items on which somebody has acted by then are skipped.`,
    about: aboutFirst(kind, facts, count),
  };
}
