import { z } from 'zod';
import type { Config } from '../../base/config/config.js';
import type { Act } from '../desk/act.js';
import type { BackupPart } from '../../recovery/backup/format/manifest.js';
import * as answers from './answers.js';
import { BatchClient } from './batch-client.js';
import { CaseClient } from './case-client.js';
import { asOfAnswer } from './as-of-answers.js';
import { ApprovalClient } from './approval-client.js';
import * as jobs from './job-answers.js';
import type { Calls } from './calls.js';
import { queryText } from './json-request.js';
import { ENROLLMENTS, OperatorApi } from './operator-api.js';
import type {
  AccountAnswer,
  ApplicationAnswer,
  AuditQuestion,
  Ciphertext,
  TokenWish,
} from './operator-requests.js';

/**
 * Longest wait while all grants of an application are revoked: below the five minutes after which `fetch` itself gives
 * up.
 */
const REVOCATION_TIMEOUT_MS = 4 * 60_000;
const COMPARISON_TIMEOUT_MS = 4 * 60_000;

const SLOW_TIMEOUT_MS = 4 * 60_000;
/** Acts that compare log and witness first, or change all grants of an application. */
const slow: ReadonlySet<string> = new Set([
  'POST /operator/applications/:id/revoke-grants',
  'GET /operator/recovery',
  'GET /operator/recovery/plan',
  'POST /operator/recovery/apply',
  'POST /operator/approvals/:id/run',
]);

/**
 * Client of the operator API of a running network.
 * @throws {Failure} each method, with one line for the operator.
 */
export class OperatorClient {
  readonly batches: BatchClient;
  readonly cases: CaseClient;
  readonly approvals: ApprovalClient;
  readonly #api: OperatorApi;

  /** @param operator name to claim, recorded with each command. */
  constructor(config: Config, operator: string, answerTimeoutMs?: number) {
    this.#api = new OperatorApi(config, operator, answerTimeoutMs);
    this.batches = new BatchClient(this.#api);
    this.cases = new CaseClient(this.#api);
    this.approvals = new ApprovalClient(this.#api);
  }

  /** The calls of these rows of the table of acts. */
  of<Rows extends readonly Act[]>(): Calls<Rows[number]> {
    return this as never;
  }

  call(route: string, given: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const [method = '', pattern = ''] = route.split(' ');
    const fields = { ...given };
    const path = pattern.replaceAll(/:(\w+)/g, (_whole, name: string) => {
      const value = String(fields[name]);
      delete fields[name];
      return encodeURIComponent(value);
    });
    const query = queryText(fields);
    const timeoutMs = slow.has(route) ? SLOW_TIMEOUT_MS : undefined;
    return method === 'GET'
      ? this.#api.call(z.unknown(), method, query === '' ? path : `${path}?${query}`, undefined, timeoutMs)
      : this.#api.call(z.unknown(), method, path, fields, timeoutMs);
  }

  registerApplication(application: ApplicationAnswer, reason?: string) {
    return this.#api.call(answers.registeredAnswer, 'POST', '/operator/applications', {
      ...application,
      reason,
    });
  }

  applications() {
    return this.#api.call(answers.applications, 'GET', '/operator/applications');
  }

  /** `revision`: the expected lifecycle revision; undefined: any. The same holds for accounts and posts. */
  setApplicationState(clientId: string, act: 'suspend' | 'reinstate', reason?: string, revision?: number) {
    return this.#api.call(answers.lifecycleChanged, 'POST', `${application(clientId)}/${act}`, {
      reason,
      revision,
    });
  }

  rotateSecret(clientId: string, overlapMs: number, reason?: string) {
    return this.#api.call(answers.rotatedSecret, 'POST', `${application(clientId)}/rotate-secret`, {
      overlapMs,
      reason,
    });
  }

  revokeGrants(clientId: string, reason?: string) {
    const path = `${application(clientId)}/revoke-grants`;
    return this.#api.call(answers.revokedAnswer, 'POST', path, { reason }, REVOCATION_TIMEOUT_MS);
  }

  createAccount(account: AccountAnswer, reason?: string) {
    return this.#api.call(answers.createdAnswer, 'POST', '/operator/accounts', { ...account, reason });
  }

  setAccountState(actorId: string, act: 'suspend' | 'reinstate', reason: string, revision?: number) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/${act}`;
    return this.#api.call(answers.lifecycleChanged, 'POST', path, { reason, revision });
  }

  /** `delayMs`: the time in which the erasure can be cancelled; 0 erases at once. */
  eraseAccount(actorId: string, delayMs: number, reason: string, revision?: number) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/erase`;
    return this.#api.call(answers.erased, 'POST', path, { reason, revision, delayMs });
  }

  cancelErasure(actorId: string, reason: string) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/cancel-erasure`;
    return this.#api.call(answers.lifecycleChanged, 'POST', path, { reason });
  }

  setPostState(postId: string, act: 'restrict' | 'unrestrict', reason: string, revision?: number) {
    const path = `/operator/posts/${encodeURIComponent(postId)}/${act}`;
    return this.#api.call(answers.lifecycleChanged, 'POST', path, { reason, revision });
  }

  setPublishing(act: 'pause' | 'resume', reason?: string) {
    return this.#api.call(answers.changedAnswer, 'POST', `/operator/publishing/${act}`, { reason });
  }

  registration() {
    return this.#api.call(answers.registrationState, 'GET', '/operator/registration');
  }

  setRegistration(act: 'open' | 'close', reason?: string) {
    return this.#api.call(answers.changedAnswer, 'POST', `/operator/registration/${act}`, { reason });
  }

  signingKeys() {
    return this.#api.call(answers.signingKeys, 'GET', '/operator/signing-keys');
  }

  rotateSigningKey(reason?: string) {
    return this.#api.call(answers.rotatedKey, 'POST', '/operator/signing-keys/rotate', { reason });
  }

  /** `wait`: for what the log has now, within the time of an answer. */
  audit(question: AuditQuestion & { readonly before?: string | undefined; readonly wait?: boolean }) {
    return this.#api.call(answers.auditPage, 'GET', `/operator/audit?${queryText({ ...question })}`);
  }

  /** `after`: the cursor `next` of an earlier answer. */
  disclose(eventIds: readonly string[], reason: string) {
    return this.#api.call(answers.disclosedTexts, 'POST', '/operator/texts/disclose', { eventIds, reason });
  }

  followAudit(question: AuditQuestion & { readonly after?: string | undefined }) {
    return this.#api.call(answers.auditPage, 'GET', `/operator/audit/follow?${queryText({ ...question })}`);
  }

  /** Streams an export, as src/operator/audit/export.ts makes it. */
  async exportAudit(q: string, reason?: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#api.stream(`/operator/audit/export?${queryText({ q, reason })}`);
  }

  applicationImpact(clientId: string, window: { since?: string; until?: string; hours?: number }) {
    const path = `${application(clientId)}/impact?${queryText({ ...window })}`;
    return this.#api.call(answers.applicationImpact, 'GET', path);
  }

  /** Requests the build of a moment, or finds it. `at`: a time as the audit takes it, or a position. */
  buildAsOf(at: string, actor: string) {
    return this.#api.call(asOfAnswer, 'POST', '/operator/as-of', { at, actor });
  }

  /** `reason`: discloses texts; undefined: shows those that are public now. */
  asOf(position: number, actor: string, reason?: string) {
    const path = `/operator/as-of/${position}`;
    return reason === undefined
      ? this.#api.call(asOfAnswer, 'GET', `${path}?${queryText({ actor })}`)
      : this.#api.call(asOfAnswer, 'POST', `${path}/texts`, { actor, reason });
  }

  /** The personal fields of events by their ciphertexts, in the order given; null: erased. */
  decrypt(events: readonly Ciphertext[], reason: string) {
    return this.#api.call(answers.decryptedFields, 'POST', '/operator/analytics/texts', { events, reason });
  }

  recordAnalyticsExport(reason?: string) {
    return this.#api.call(answers.recordedExport, 'POST', '/operator/analytics/exports', { reason });
  }

  /** The id whose pseudonym a data set has in this column of this event. */
  resolvePseudonym(place: { position: number; eventId: string; column: string }, reason: string) {
    return this.#api.call(answers.resolvedId, 'POST', '/operator/analytics/ids', { ...place, reason });
  }

  resolveOperator(place: { position: number; eventId: string }, reason: string) {
    return this.#api.call(answers.resolvedId, 'POST', '/operator/analytics/operators', { ...place, reason });
  }

  projections() {
    return this.#api.call(answers.projectionStatus, 'GET', '/operator/projections');
  }

  rebuild(names: readonly string[], reason?: string) {
    return this.#api.call(jobs.jobAnswer, 'POST', '/operator/projections/rebuild', { names, reason });
  }

  job(id: string) {
    return this.#api.call(jobs.jobAnswer, 'GET', `/operator/jobs/${encodeURIComponent(id)}`);
  }

  pauseJob(id: string) {
    return this.#api.call(
      answers.changedAnswer,
      'POST',
      `/operator/jobs/${encodeURIComponent(id)}/pause`,
      {},
    );
  }

  recoveryStatus() {
    return this.#api.call(jobs.recoveryStatus, 'GET', '/operator/recovery', undefined, COMPARISON_TIMEOUT_MS);
  }

  recoveryPlan() {
    const path = '/operator/recovery/plan';
    return this.#api.call(jobs.recoveryPlan, 'GET', path, undefined, COMPARISON_TIMEOUT_MS);
  }

  recover(reseedWitness: boolean, reason?: string) {
    const body = { reseedWitness, reason };
    return this.#api.call(jobs.requestedJob, 'POST', '/operator/recovery/apply', body, COMPARISON_TIMEOUT_MS);
  }

  rollback(reason?: string) {
    return this.#api.call(jobs.requestedJob, 'POST', '/operator/recovery/rollback', { reason });
  }

  beginBackup(parts: readonly BackupPart[], reason?: string) {
    return this.#api.call(answers.begunBackup, 'POST', '/operator/backups', { parts, reason });
  }

  /**
   * Streams the frames of a part of a backup (see backup/format/multi-file-stream.ts) to the operator who began the
   * backup. `upTo`: position of the last event of the log to copy.
   */
  async backupPart(backupId: string, part: BackupPart, upTo: string): Promise<AsyncIterable<Uint8Array>> {
    const query = new URLSearchParams(part === 'log' ? { backupId, upTo } : { backupId });
    return this.#api.stream(`/operator/backups/${part}?${query.toString()}`);
  }

  revokeGrant(grantId: string, reason?: string) {
    const path = `/operator/grants/${encodeURIComponent(grantId)}/revoke`;
    return this.#api.call(answers.changedAnswer, 'POST', path, { reason });
  }

  operators() {
    return this.#api.call(answers.operators, 'GET', '/operator/operators');
  }

  inviteOperator(operator: { readonly name: string; readonly roles: readonly string[] }, reason?: string) {
    return this.#api.call(answers.invitedOperator, 'POST', '/operator/operators', { ...operator, reason });
  }

  /** Needs no token: the invitation code is the credential. */
  enrollOperator(invitationCode: string, token: TokenWish) {
    return this.#api.call(answers.enrolledOperator, 'POST', ENROLLMENTS, { invitationCode, ...token });
  }

  confirmOperator(operatorId: string, reason?: string) {
    return this.#api.call(answers.changedAnswer, 'POST', `${operatorPath(operatorId)}/confirm`, { reason });
  }

  setOperatorState(operatorId: string, act: 'suspend' | 'reinstate', reason: string, revision?: number) {
    const path = `${operatorPath(operatorId)}/${act}`;
    return this.#api.call(answers.lifecycleChanged, 'POST', path, { reason, revision });
  }

  setOperatorRoles(operatorId: string, roles: readonly string[], reason: string, revision?: number) {
    const path = `${operatorPath(operatorId)}/roles`;
    return this.#api.call(answers.lifecycleChanged, 'POST', path, { roles, reason, revision });
  }

  issueToken(token: TokenWish, reason?: string) {
    return this.#api.call(answers.issuedToken, 'POST', '/operator/own/tokens', { ...token, reason });
  }

  linkPasskey() {
    return this.#api.call(answers.passkeyLink, 'POST', '/operator/own/passkey-links', {});
  }

  /** `operatorId` undefined: a passkey of the caller. */
  removePasskey(passkeyId: string, operatorId: string | undefined, reason?: string) {
    const owner = operatorId === undefined ? '/operator/own' : operatorPath(operatorId);
    const path = `${owner}/passkeys/${encodeURIComponent(passkeyId)}/remove`;
    return this.#api.call(answers.changedAnswer, 'POST', path, { reason });
  }

  signOut(reason?: string) {
    return this.#api.call(answers.signedOut, 'POST', '/operator/own/sign-out', { reason });
  }

  /** `operatorId` undefined: a token of the caller. */
  revokeToken(tokenId: string, operatorId: string | undefined, reason?: string) {
    const owner = operatorId === undefined ? '/operator/own' : operatorPath(operatorId);
    const path = `${owner}/tokens/${encodeURIComponent(tokenId)}/revoke`;
    return this.#api.call(answers.changedAnswer, 'POST', path, { reason });
  }

  limitSharedToken(reason?: string) {
    return this.#api.call(answers.changedAnswer, 'POST', '/operator/shared-token/limit', { reason });
  }
}

const operatorPath = (operatorId: string) => `/operator/operators/${encodeURIComponent(operatorId)}`;

const application = (clientId: string) => `/operator/applications/${encodeURIComponent(clientId)}`;
