import type { CaseEffect, CaseOutcome } from '../../src/domain/case/events.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { OperatorClient as Client } from '../../src/operator/client/operator-client.js';
import type { analyticsActs } from '../../src/operator/analytics/analytics.acts.js';
import type { asOfActs } from '../../src/operator/as-of/as-of.acts.js';
import type { auditActs } from '../../src/operator/audit/audit.acts.js';
import type { caseActs } from '../../src/operator/cases/case.acts.js';
import type { jobActs } from '../../src/operator/network/job.acts.js';
import type { networkActs } from '../../src/operator/network/network.acts.js';
import type { recoveryActs } from '../../src/operator/network/recovery.acts.js';
import type { approvalActs } from '../../src/operator/operators/approval.acts.js';
import type { fourEyesActs } from '../../src/operator/operators/four-eyes.acts.js';
import type { operatorActs } from '../../src/operator/operators/operator.acts.js';
import type { passkeyActs } from '../../src/operator/operators/passkey.acts.js';
import type { accountActs } from '../../src/operator/people/account.acts.js';
import type { applicationActs } from '../../src/operator/people/application.acts.js';
import type { batchActs } from '../../src/operator/people/batch.acts.js';
import type { grantActs } from '../../src/operator/people/grant.acts.js';
import type { impactActs } from '../../src/operator/people/impact.acts.js';
import type { postActs } from '../../src/operator/people/post.acts.js';

type Rows =
  | typeof accountActs
  | typeof analyticsActs
  | typeof applicationActs
  | typeof approvalActs
  | typeof asOfActs
  | typeof auditActs
  | typeof batchActs
  | typeof caseActs
  | typeof fourEyesActs
  | typeof grantActs
  | typeof impactActs
  | typeof jobActs
  | typeof networkActs
  | typeof operatorActs
  | typeof passkeyActs
  | typeof postActs
  | typeof recoveryActs;

type Plan =
  | { readonly kind: 'posts'; readonly appId: string; readonly from: string; readonly until: string }
  | { readonly kind: 'accounts'; readonly actorIds: readonly string[] };

let check: (route: string, answer: unknown) => void = () => undefined;

/** From now on, `hold` throws for each answer that is not as it must be (held-answers.ts). */
export function holdAnswers(hold: typeof check): void {
  check = hold;
}

interface NewAccount {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly password: string;
}

interface NewApplication {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
  readonly scopes: readonly string[];
}

/** A test may decide what the network refuses. */
interface Decision {
  readonly outcome: string;
  readonly effects: readonly string[];
  readonly notice?: string | undefined;
}

interface CaseQuery {
  readonly state?: string;
  readonly order?: 'newest' | 'oldest';
}

interface Ruling {
  readonly notice?: string | undefined;
  readonly decisionId?: string | undefined;
}

interface TokenWish {
  readonly label?: string | undefined;
  readonly validMs?: number | undefined;
}

type Toggle = 'suspend' | 'reinstate';

/** The acts that tests perform, by short names. */
export class OperatorClient extends Client {
  private readonly acts = this.of<Rows>();

  override async call(route: string, given?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const answer = await super.call(route, given);
    check(route, answer);
    return answer;
  }

  readonly cases = {
    list: (query: CaseQuery) => this.acts.call('GET /operator/cases', query as { readonly state?: 'open' }),
    show: (id: string) => this.acts.call('GET /operator/cases/:id', { id }),
    claim: (id: string, reason?: string) => this.acts.call('POST /operator/cases/:id/claim', { id, reason }),
    release: (id: string, reason?: string) =>
      this.acts.call('POST /operator/cases/:id/release', { id, reason }),
    reopen: (id: string, reason: string) => this.acts.call('POST /operator/cases/:id/reopen', { id, reason }),
    note: (id: string, note: string) => this.acts.call('POST /operator/cases/:id/notes', { id, note }),
    decide: (id: string, decision: Decision, reason: string) =>
      this.acts.call('POST /operator/cases/:id/decide', {
        ...(decision as Decision & {
          readonly outcome: CaseOutcome;
          readonly effects: readonly CaseEffect[];
        }),
        id,
        reason,
      }),
    rule: (id: string, act: 'uphold' | 'overturn', reason: string, ruling: Ruling = {}) =>
      this.acts.call(`POST /operator/cases/:id/appeal/${act}`, { id, ...ruling, reason }),
  };

  readonly batches = {
    preview: (plan: Plan) => this.acts.call('POST /operator/batches/preview', plan),
    request: (plan: Plan, digest: string, reason: string) =>
      this.acts.call('POST /operator/batches', { ...plan, digest, reason }),
    list: () => this.acts.call('GET /operator/batches'),
    show: (id: string) => this.acts.call('GET /operator/batches/:id', { id }),
    undo: (id: string, reason: string) => this.acts.call('POST /operator/batches/:id/undo', { id, reason }),
  };

  readonly approvals = {
    list: () => this.acts.call('GET /operator/approvals'),
    show: (id: string) => this.acts.call('GET /operator/approvals/:id', { id }),
    approve: (id: string, digest: string, reason?: string) =>
      this.acts.call('POST /operator/approvals/:id/approve', { id, digest, reason }),
    refuse: (id: string, reason: string) =>
      this.acts.call('POST /operator/approvals/:id/refuse', { id, reason }),
    run: (id: string) => this.acts.call('POST /operator/approvals/:id/run', { id }),
    fourEyes: () => this.acts.call('GET /operator/four-eyes'),
    turnFourEyesOn: (batchItems?: number, reason?: string) =>
      this.acts.call('POST /operator/four-eyes/on', { batchItems, reason }),
    turnFourEyesOff: (reason?: string) => this.acts.call('POST /operator/four-eyes/off', { reason }),
  };

  registerApplication(application: NewApplication, reason?: string) {
    return this.acts.call('POST /operator/applications', { ...application, reason });
  }

  applications() {
    return this.acts.call('GET /operator/applications');
  }

  setApplicationState(id: string, act: Toggle, reason?: string, revision?: number) {
    return this.acts.call(`POST /operator/applications/:id/${act}`, { id, reason, revision });
  }

  createAccount(account: NewAccount, reason?: string) {
    return this.acts.call('POST /operator/accounts', { ...account, reason });
  }

  setAccountState(id: string, act: Toggle, reason: string, revision?: number) {
    return this.acts.call(`POST /operator/accounts/:id/${act}`, { id, reason, revision });
  }

  eraseAccount(id: string, delayMs: number, reason: string, revision?: number) {
    return this.acts.call('POST /operator/accounts/:id/erase', { id, delayMs, reason, revision });
  }

  cancelErasure(id: string, reason: string) {
    return this.acts.call('POST /operator/accounts/:id/cancel-erasure', { id, reason });
  }

  setPostState(id: string, act: 'restrict' | 'unrestrict', reason: string, revision?: number) {
    return this.acts.call(`POST /operator/posts/:id/${act}`, { id, reason, revision });
  }

  revokeGrant(id: string, reason?: string) {
    return this.acts.call('POST /operator/grants/:id/revoke', { id, reason });
  }

  setPublishing(act: 'pause' | 'resume', reason?: string) {
    return this.acts.call(`POST /operator/publishing/${act}`, { reason });
  }

  registration() {
    return this.acts.call('GET /operator/registration');
  }

  audit(question: { readonly q: string; readonly texts: boolean; readonly wait?: boolean }) {
    return this.acts.call('GET /operator/audit', question);
  }

  applicationImpact(id: string, window: { since?: string; until?: string; hours?: number }) {
    return this.acts.call('GET /operator/applications/:id/impact', { id, ...window });
  }

  /** `at`: a time as the audit takes it, or a position. */
  buildAsOf(at: string, actor: string) {
    return this.acts.call('POST /operator/as-of', { at, actor });
  }

  /** `reason`: discloses texts; undefined: shows those that are public now. */
  asOf(position: number, actor: string, reason?: string) {
    return reason === undefined
      ? this.acts.call('GET /operator/as-of/:position', { position, actor })
      : this.acts.call('POST /operator/as-of/:position/texts', { position, actor, reason });
  }

  recordAnalyticsExport(reason?: string) {
    return this.acts.call('POST /operator/analytics/exports', { reason });
  }

  projections() {
    return this.acts.call('GET /operator/projections');
  }

  rebuild(names: readonly string[], reason?: string) {
    return this.acts.call('POST /operator/projections/rebuild', { names, reason });
  }

  job(id: string) {
    return this.acts.call('GET /operator/jobs/:id', { id });
  }

  recoveryStatus() {
    return this.acts.call('GET /operator/recovery');
  }

  recoveryPlan() {
    return this.acts.call('GET /operator/recovery/plan');
  }

  recover(reseedWitness: boolean, reason?: string) {
    return this.acts.call('POST /operator/recovery/apply', { reseedWitness, reason });
  }

  rollback(reason?: string) {
    return this.acts.call('POST /operator/recovery/rollback', { reason });
  }

  operators() {
    return this.acts.call('GET /operator/operators');
  }

  inviteOperator(
    { name, roles }: { readonly name: string; readonly roles: readonly string[] },
    reason?: string,
  ) {
    return this.acts.call('POST /operator/operators', { name, roles: roles as readonly Role[], reason });
  }

  enrollOperator(invitationCode: string, token: TokenWish) {
    return this.acts.call('POST /operator/enrollments', { invitationCode, ...token });
  }

  confirmOperator(id: string, reason?: string) {
    return this.acts.call('POST /operator/operators/:id/confirm', { id, reason });
  }

  setOperatorState(id: string, act: Toggle, reason: string, revision?: number) {
    return this.acts.call(`POST /operator/operators/:id/${act}`, { id, reason, revision });
  }

  setOperatorRoles(id: string, roles: readonly Role[], reason: string, revision?: number) {
    return this.acts.call('POST /operator/operators/:id/roles', { id, roles, reason, revision });
  }

  issueToken(token: TokenWish, reason?: string) {
    return this.acts.call('POST /operator/own/tokens', { ...token, reason });
  }

  linkPasskey() {
    return this.acts.call('POST /operator/own/passkey-links');
  }

  removePasskey(passkeyId: string, id: string, reason: string) {
    const route = 'POST /operator/operators/:id/passkeys/:passkeyId/remove';
    return this.acts.call(route, { id, passkeyId, reason });
  }

  /** `id` undefined: a token of the caller. */
  revokeToken(tokenId: string, id: string | undefined, reason?: string) {
    return id === undefined
      ? this.acts.call('POST /operator/own/tokens/:tokenId/revoke', { tokenId, reason })
      : this.acts.call('POST /operator/operators/:id/tokens/:tokenId/revoke', {
          id,
          tokenId,
          reason: reason ?? '',
        });
  }

  limitSharedToken(reason?: string) {
    return this.acts.call('POST /operator/shared-token/limit', { reason });
  }
}
