import { Answer } from '../act.js';
import type { ShownFacts } from '../act.js';

export interface AwaitedRequest {
  readonly approvalId: string;
  readonly act: string;
  /** The act for people. */
  readonly asks: string;
  readonly digest: string;
  readonly expiresAt: number;
  readonly facts: ShownFacts;
}

/** The answer in place of the act's own: nothing has happened yet. */
export class AwaitedApproval extends Answer {
  constructor(readonly request: AwaitedRequest) {
    super(202, { waitsFor: 'approval', ...request });
  }
}
