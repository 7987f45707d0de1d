import { changedAnswer } from './answers.js';
import { casePage, caseView, decidedAnswer } from './case-answers.js';
import type { CaseQuery, NewDecision } from './case-answers.js';
import { queryText } from './json-request.js';
import type { OperatorApi } from './operator-api.js';

export class CaseClient {
  constructor(private readonly api: OperatorApi) {}

  list(query: CaseQuery) {
    return this.api.call(casePage, 'GET', `/operator/cases?${queryText(query)}`);
  }

  show(caseId: string) {
    return this.api.call(caseView, 'GET', casePath(caseId));
  }

  claim(caseId: string, reason?: string) {
    return this.api.call(caseView, 'POST', `${casePath(caseId)}/claim`, { reason });
  }

  release(caseId: string, reason?: string) {
    return this.api.call(changedAnswer, 'POST', `${casePath(caseId)}/release`, { reason });
  }

  reopen(caseId: string, reason: string) {
    return this.api.call(changedAnswer, 'POST', `${casePath(caseId)}/reopen`, { reason });
  }

  note(caseId: string, note: string, reason?: string) {
    return this.api.call(changedAnswer, 'POST', `${casePath(caseId)}/notes`, { note, reason });
  }

  decide(caseId: string, decision: NewDecision, reason: string) {
    return this.api.call(decidedAnswer, 'POST', `${casePath(caseId)}/decide`, { ...decision, reason });
  }

  rule(
    caseId: string,
    act: 'uphold' | 'overturn',
    reason: string,
    ruling: { readonly notice?: string | undefined; readonly decisionId?: string | undefined } = {},
  ) {
    return this.api.call(decidedAnswer, 'POST', `${casePath(caseId)}/appeal/${act}`, { ...ruling, reason });
  }
}

const casePath = (caseId: string) => `/operator/cases/${encodeURIComponent(caseId)}`;
