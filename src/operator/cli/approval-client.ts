import { z } from 'zod';
import { changedAnswer } from './answers.js';
import { carriedOut, fourEyes, listedApproval } from './approval-answers.js';

type Call = <T>(
  answer: z.ZodType<T>,
  method: string,
  path: string,
  body?: object,
  timeoutMs?: number,
) => Promise<T>;

/** A recovery compares log and witness first. */
const RUN_TIMEOUT_MS = 4 * 60_000;

/** The part of the operator's client for approvals and four-eyes. */
export class ApprovalClient {
  constructor(private readonly call: Call) {}

  list() {
    return this.call(z.array(listedApproval), 'GET', APPROVALS);
  }

  show(approvalId: string) {
    return this.call(listedApproval, 'GET', pathOf(approvalId));
  }

  approve(approvalId: string, digest: string, reason?: string) {
    return this.call(changedAnswer, 'POST', `${pathOf(approvalId)}/approve`, { digest, reason });
  }

  refuse(approvalId: string, reason: string) {
    return this.call(changedAnswer, 'POST', `${pathOf(approvalId)}/refuse`, { reason });
  }

  /** Executes the approved act. */
  run(approvalId: string) {
    return this.call(carriedOut, 'POST', `${pathOf(approvalId)}/run`, {}, RUN_TIMEOUT_MS);
  }

  fourEyes() {
    return this.call(fourEyes, 'GET', '/operator/four-eyes');
  }

  /** `batchItems`: the largest batch without an approval; undefined: the server's default. */
  turnFourEyesOn(batchItems?: number, reason?: string) {
    return this.call(changedAnswer, 'POST', '/operator/four-eyes/on', { batchItems, reason });
  }

  turnFourEyesOff(reason?: string) {
    return this.call(changedAnswer, 'POST', '/operator/four-eyes/off', { reason });
  }
}

const APPROVALS = '/operator/approvals';

const pathOf = (approvalId: string): string => `${APPROVALS}/${encodeURIComponent(approvalId)}`;
