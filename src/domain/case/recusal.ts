import { SHARED_TOKEN } from '../operator/roles.js';
import { Refusal } from '../refusal.js';
import type { Case, CaseDecision } from './case.js';

export const makersOf = ({ operatorId, approverId }: CaseDecision): readonly string[] =>
  approverId === undefined ? [operatorId] : [operatorId, approverId];

/** Decisions whose makers must leave the subject to others: the appeal waits, or nobody else has decided since the overturn. */
export function disputedDecisions(state: Case): readonly CaseDecision[] {
  if (state.status === 'none') return [];
  const { decisions } = state;
  return decisions.filter((decision) => {
    if (decision.appeal !== 'overturned') return decision.appeal === 'waiting';
    const makers = makersOf(decision);
    return decisions.slice(decision.overturnedAfter).every(({ operatorId }) => makers.includes(operatorId));
  });
}

/**
 * Returns why the operator may not reopen, decide or restrict the subject of the case; undefined: they may. The shared
 * token, or no id, proves nobody: its holder may have made each of the decisions.
 */
export function recusalOf(state: Case, operatorId: string | undefined): Refusal | undefined {
  const disputed = disputedDecisions(state);
  const isProven = operatorId !== undefined && operatorId !== SHARED_TOKEN;
  const own = disputed.filter((each) => !isProven || makersOf(each).includes(operatorId));
  if (state.status === 'none' || own.length === 0) return undefined;
  const { caseId, postId } = state.subject;
  const subject = postId === undefined ? 'the account' : 'the post or its author';
  if (!isProven)
    return new Refusal(
      'not_owner',
      `A decision of case ${caseId} was appealed, and the shared token does not prove that you did not make it. Use the personal token of an operator who did not, to restrict ${subject}.`,
    );
  const [why, until] = own.some(({ appeal }) => appeal === 'waiting')
    ? ['is appealed', 'rule on the appeal']
    : ['was overturned', 'decide it anew'];
  return new Refusal(
    'not_owner',
    `Your decision of case ${caseId} ${why}, so you may not reopen or decide it, or restrict ${subject}: another operator must ${until}. If you are the only moderator, it waits: an administrator can invite another.`,
  );
}
