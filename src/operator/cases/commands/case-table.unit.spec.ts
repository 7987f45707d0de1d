import { expect, it } from '@jest/globals';
import { idsAlone } from '../../client/names-in-lines.js';
import { caseViewLines } from './case-table.js';

it('a reason with line feeds cannot pass for another entry of the history', () => {
  const entry = {
    eventId: 'e',
    type: 'case.released',
    at: 0,
    operatorId: 'mallory',
    reason: 'x\n  2026-01-01 00:00:00  case.decided  Grace  spam',
  };
  const shown = {
    caseId: 'actor-a',
    targetActorId: 'a',
    state: 'open',
    isOpen: true,
    claimedBy: null,
    isMine: true,
    recusal: null,
    hasOtherOperator: true,
    hiddenBy: [],
    networkRevision: 1,
    post: null,
    profile: null,
    reports: { total: 0, byReason: {}, newest: [] },
    evidence: { thread: [], newestPosts: [], decidedBefore: [] },
    reasons: [],
    decisions: [],
    history: [entry],
    operators: {},
  } as const;
  const lines = caseViewLines(shown, idsAlone);
  expect(lines.at(-1)).toContain(String.raw`mallory released the case  x\u000a  2026-01-01`);
});
