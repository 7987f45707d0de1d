import { z } from 'zod';
import { changedAnswer } from './answers.js';
import type { OperatorApi } from './operator-api.js';
import { carriedOut, fourEyes, listedApproval } from './approval-answers.js';

/** A recovery compares log and witness first. */
const RUN_TIMEOUT_MS = 4 * 60_000;

export class ApprovalClient {
  constructor(private readonly api: OperatorApi) {}

  list() {
    return this.api.call(z.array(listedApproval), 'GET', APPROVALS);
  }

  show(approvalId: string) {
    return this.api.call(listedApproval, 'GET', pathOf(approvalId));
  }

  approve(approvalId: string, digest: string, reason?: string) {
    return this.api.call(changedAnswer, 'POST', `${pathOf(approvalId)}/approve`, { digest, reason });
  }

  refuse(approvalId: string, reason: string) {
    return this.api.call(changedAnswer, 'POST', `${pathOf(approvalId)}/refuse`, { reason });
  }

  run(approvalId: string) {
    return this.api.call(carriedOut, 'POST', `${pathOf(approvalId)}/run`, {}, RUN_TIMEOUT_MS);
  }

  fourEyes() {
    return this.api.call(fourEyes, 'GET', '/operator/four-eyes');
  }

  /** `batchItems`: restrictions of one operator in 24 hours without an approval; undefined: the server's default. */
  turnFourEyesOn(batchItems?: number, reason?: string) {
    return this.api.call(changedAnswer, 'POST', '/operator/four-eyes/on', { batchItems, reason });
  }

  turnFourEyesOff(reason?: string) {
    return this.api.call(changedAnswer, 'POST', '/operator/four-eyes/off', { reason });
  }
}

const APPROVALS = '/operator/approvals';

const pathOf = (approvalId: string): string => `${APPROVALS}/${encodeURIComponent(approvalId)}`;
