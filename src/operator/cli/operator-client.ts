import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { readSecret } from '../../launch/secret-file.js';
import type { BackupPart } from '../../backup/format/manifest.js';
import * as answers from './answers.js';
import { CaseClient } from './case-client.js';
import { asOfAnswer } from './as-of-answers.js';
import { awaitedApproval } from './approval-answers.js';
import { ApprovalClient } from './approval-client.js';
import { AwaitsApproval } from './awaits-approval.js';
import * as jobs from './job-answers.js';
import { Failure, Refused } from './failure.js';
import { jsonRequest, queryText } from './json-request.js';
import { unreachableFailure } from './unreachable-failure.js';

/** Longest wait for an answer of the operator API: longer than any timeout of the network itself for a store. */
const ANSWER_TIMEOUT_MS = 30_000;
/**
 * Longest wait while all grants of an application are revoked: below the five minutes after which `fetch` itself gives
 * up.
 */
const REVOCATION_TIMEOUT_MS = 4 * 60_000;
const COMPARISON_TIMEOUT_MS = 4 * 60_000;

const refusal = z.object({ error: z.string(), message: z.string() });

export interface ApplicationAnswer {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
  readonly scopes: readonly string[];
}

export interface AccountAnswer {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly password: string;
}

/** `validMs`: milliseconds until it expires. Undefined: the server's default. */
export interface TokenWish {
  readonly label?: string | undefined;
  readonly validMs?: number | undefined;
}

/** Times as the audit's search takes them. */
export type BatchPlan =
  | { readonly kind: 'posts'; readonly appId: string; readonly from: string; readonly until: string }
  | { readonly kind: 'accounts'; readonly actorIds: readonly string[] };

/** As a data set has it: see src/log/encryption.ts. */
export interface Ciphertext {
  readonly eventId: string;
  readonly type: string;
  readonly keyId: string;
  readonly box: string;
}

/** `q`: terms of the search (src/operator/audit/search-query.ts). */
export interface AuditQuestion {
  readonly q: string;
  readonly limit?: number | undefined;
  readonly texts: boolean;
}

/**
 * Client of the operator API of a running network.
 * @throws {Failure} each method, with one line for the operator.
 */
export class OperatorClient {
  readonly cases = new CaseClient((answer, method, path, body) => this.#call(answer, method, path, body));
  readonly approvals = new ApprovalClient((answer, method, path, body, timeoutMs) =>
    this.#call(answer, method, path, body, timeoutMs),
  );
  readonly #url: string;

  /** @param operator recorded with each command. */
  constructor(
    private readonly config: Config,
    private readonly operator: string,
    private readonly answerTimeoutMs = ANSWER_TIMEOUT_MS,
  ) {
    this.#url = operatorUrl(config);
  }

  registerApplication(application: ApplicationAnswer, reason?: string) {
    return this.#call(answers.registeredAnswer, 'POST', '/operator/applications', { ...application, reason });
  }

  applications() {
    return this.#call(answers.applications, 'GET', '/operator/applications');
  }

  /** `revision`: the expected lifecycle revision; undefined: any. The same holds for accounts and posts. */
  setApplicationState(clientId: string, act: 'suspend' | 'reinstate', reason?: string, revision?: number) {
    return this.#call(answers.lifecycleChanged, 'POST', `${application(clientId)}/${act}`, {
      reason,
      revision,
    });
  }

  rotateSecret(clientId: string, overlapMs: number, reason?: string) {
    return this.#call(answers.rotatedSecret, 'POST', `${application(clientId)}/rotate-secret`, {
      overlapMs,
      reason,
    });
  }

  revokeGrants(clientId: string, reason?: string) {
    const path = `${application(clientId)}/revoke-grants`;
    return this.#call(answers.revokedAnswer, 'POST', path, { reason }, REVOCATION_TIMEOUT_MS);
  }

  createAccount(account: AccountAnswer, reason?: string) {
    return this.#call(answers.createdAnswer, 'POST', '/operator/accounts', { ...account, reason });
  }

  setAccountState(actorId: string, act: 'suspend' | 'reinstate', reason: string, revision?: number) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/${act}`;
    return this.#call(answers.lifecycleChanged, 'POST', path, { reason, revision });
  }

  /** `delayMs`: the time in which the erasure can be cancelled; 0 erases at once. */
  eraseAccount(actorId: string, delayMs: number, reason: string, revision?: number) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/erase`;
    return this.#call(answers.erased, 'POST', path, { reason, revision, delayMs });
  }

  cancelErasure(actorId: string, reason: string) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/cancel-erasure`;
    return this.#call(answers.lifecycleChanged, 'POST', path, { reason });
  }

  setPostState(postId: string, act: 'restrict' | 'unrestrict', reason: string, revision?: number) {
    const path = `/operator/posts/${encodeURIComponent(postId)}/${act}`;
    return this.#call(answers.lifecycleChanged, 'POST', path, { reason, revision });
  }

  setPublishing(act: 'pause' | 'resume', reason?: string) {
    return this.#call(answers.changedAnswer, 'POST', `/operator/publishing/${act}`, { reason });
  }

  registration() {
    return this.#call(answers.registrationState, 'GET', '/operator/registration');
  }

  setRegistration(act: 'open' | 'close', reason?: string) {
    return this.#call(answers.changedAnswer, 'POST', `/operator/registration/${act}`, { reason });
  }

  previewBatch(plan: BatchPlan) {
    return this.#call(answers.batchPreview, 'POST', `${BATCHES}/preview`, plan);
  }

  requestBatch(plan: BatchPlan, digest: string, reason: string) {
    return this.#call(answers.batchStatus, 'POST', BATCHES, { ...plan, digest, reason });
  }

  batches() {
    return this.#call(z.array(answers.listedBatch), 'GET', BATCHES);
  }

  batch(batchId: string) {
    return this.#call(answers.batchStatus, 'GET', batchPath(batchId));
  }

  undoBatch(batchId: string, reason: string) {
    return this.#call(answers.batchStatus, 'POST', `${batchPath(batchId)}/undo`, { reason });
  }

  signingKeys() {
    return this.#call(answers.signingKeys, 'GET', '/operator/signing-keys');
  }

  rotateSigningKey(reason?: string) {
    return this.#call(answers.rotatedKey, 'POST', '/operator/signing-keys/rotate', { reason });
  }

  /** `wait`: for what the log has now, within the time of an answer. */
  audit(question: AuditQuestion & { readonly before?: string | undefined; readonly wait?: boolean }) {
    return this.#call(answers.auditPage, 'GET', `/operator/audit?${queryText({ ...question })}`);
  }

  /** `after`: the cursor `next` of an earlier answer. */
  disclose(eventIds: readonly string[], reason: string) {
    return this.#call(answers.disclosedTexts, 'POST', '/operator/texts/disclose', { eventIds, reason });
  }

  followAudit(question: AuditQuestion & { readonly after?: string | undefined }) {
    return this.#call(answers.auditPage, 'GET', `/operator/audit/follow?${queryText({ ...question })}`);
  }

  /** Streams an export, as src/operator/audit/export.ts makes it. */
  async exportAudit(q: string, reason?: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#stream(`/operator/audit/export?${queryText({ q, reason })}`);
  }

  applicationImpact(clientId: string, window: { since?: string; until?: string; hours?: number }) {
    const path = `${application(clientId)}/impact?${queryText({ ...window })}`;
    return this.#call(answers.applicationImpact, 'GET', path);
  }

  /** Requests the build of a moment, or finds it. `at`: a time as the audit takes it, or a position. */
  buildAsOf(at: string, actor: string) {
    return this.#call(asOfAnswer, 'POST', '/operator/as-of', { at, actor });
  }

  /** `reason`: discloses texts; undefined: shows those that are public now. */
  asOf(position: number, actor: string, reason?: string) {
    const path = `/operator/as-of/${position}`;
    return reason === undefined
      ? this.#call(asOfAnswer, 'GET', `${path}?${queryText({ actor })}`)
      : this.#call(asOfAnswer, 'POST', `${path}/texts`, { actor, reason });
  }

  /** The personal fields of events by their ciphertexts, in the order given; null: erased. */
  decrypt(events: readonly Ciphertext[], reason: string) {
    return this.#call(answers.decryptedFields, 'POST', '/operator/analytics/texts', { events, reason });
  }

  /** The id whose pseudonym a data set has in this column of this event. */
  resolvePseudonym(place: { position: number; eventId: string; column: string }, reason: string) {
    return this.#call(answers.resolvedId, 'POST', '/operator/analytics/ids', { ...place, reason });
  }

  projections() {
    return this.#call(answers.projectionStatus, 'GET', '/operator/projections');
  }

  rebuild(names: readonly string[], reason?: string) {
    return this.#call(jobs.jobAnswer, 'POST', '/operator/projections/rebuild', { names, reason });
  }

  job(id: string) {
    return this.#call(jobs.jobAnswer, 'GET', `/operator/jobs/${encodeURIComponent(id)}`);
  }

  pauseJob(id: string) {
    return this.#call(answers.changedAnswer, 'POST', `/operator/jobs/${encodeURIComponent(id)}/pause`, {});
  }

  recoveryStatus() {
    return this.#call(jobs.recoveryStatus, 'GET', '/operator/recovery', undefined, COMPARISON_TIMEOUT_MS);
  }

  recoveryPlan() {
    const path = '/operator/recovery/plan';
    return this.#call(jobs.recoveryPlan, 'GET', path, undefined, COMPARISON_TIMEOUT_MS);
  }

  recover(reseedWitness: boolean, reason?: string) {
    const body = { reseedWitness, reason };
    return this.#call(jobs.requestedJob, 'POST', '/operator/recovery/apply', body, COMPARISON_TIMEOUT_MS);
  }

  rollback(reason?: string) {
    return this.#call(jobs.requestedJob, 'POST', '/operator/recovery/rollback', { reason });
  }

  beginBackup(parts: readonly BackupPart[], reason?: string) {
    return this.#call(answers.begunBackup, 'POST', '/operator/backups', { parts, reason });
  }

  /**
   * Streams the frames of a part of a backup (see backup/format/multi-file-stream.ts) to the operator who began the
   * backup. `upTo`: position of the last event of the log to copy.
   */
  async backupPart(backupId: string, part: BackupPart, upTo: string): Promise<AsyncIterable<Uint8Array>> {
    const query = new URLSearchParams(part === 'log' ? { backupId, upTo } : { backupId });
    return this.#stream(`/operator/backups/${part}?${query.toString()}`);
  }

  revokeGrant(grantId: string, reason?: string) {
    const path = `/operator/grants/${encodeURIComponent(grantId)}/revoke`;
    return this.#call(answers.changedAnswer, 'POST', path, { reason });
  }

  operators() {
    return this.#call(answers.operators, 'GET', '/operator/operators');
  }

  inviteOperator(operator: { readonly name: string; readonly roles: readonly string[] }, reason?: string) {
    return this.#call(answers.invitedOperator, 'POST', '/operator/operators', { ...operator, reason });
  }

  /** Needs no token: the invitation code is the credential. */
  enrollOperator(invitationCode: string, token: TokenWish) {
    return this.#call(answers.enrolledOperator, 'POST', ENROLLMENTS, { invitationCode, ...token });
  }

  confirmOperator(operatorId: string, reason?: string) {
    return this.#call(answers.changedAnswer, 'POST', `${operatorPath(operatorId)}/confirm`, { reason });
  }

  setOperatorState(operatorId: string, act: 'suspend' | 'reinstate', reason: string, revision?: number) {
    const path = `${operatorPath(operatorId)}/${act}`;
    return this.#call(answers.lifecycleChanged, 'POST', path, { reason, revision });
  }

  setOperatorRoles(operatorId: string, roles: readonly string[], reason: string, revision?: number) {
    const path = `${operatorPath(operatorId)}/roles`;
    return this.#call(answers.lifecycleChanged, 'POST', path, { roles, reason, revision });
  }

  issueToken(token: TokenWish, reason?: string) {
    return this.#call(answers.issuedToken, 'POST', '/operator/own/tokens', { ...token, reason });
  }

  linkPasskey() {
    return this.#call(answers.passkeyLink, 'POST', '/operator/own/passkey-links', {});
  }

  /** `operatorId` undefined: a passkey of the caller. */
  removePasskey(passkeyId: string, operatorId: string | undefined, reason?: string) {
    const owner = operatorId === undefined ? '/operator/own' : operatorPath(operatorId);
    const path = `${owner}/passkeys/${encodeURIComponent(passkeyId)}/remove`;
    return this.#call(answers.changedAnswer, 'POST', path, { reason });
  }

  /** Ends the sessions of the caller in the console. */
  signOut(reason?: string) {
    return this.#call(answers.signedOut, 'POST', '/operator/own/sign-out', { reason });
  }

  /** `operatorId` undefined: a token of the caller. */
  revokeToken(tokenId: string, operatorId: string | undefined, reason?: string) {
    const owner = operatorId === undefined ? '/operator/own' : operatorPath(operatorId);
    const path = `${owner}/tokens/${encodeURIComponent(tokenId)}/revoke`;
    return this.#call(answers.changedAnswer, 'POST', path, { reason });
  }

  limitSharedToken(reason?: string) {
    return this.#call(answers.changedAnswer, 'POST', '/operator/shared-token/limit', { reason });
  }

  async #stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send('GET', path, undefined, undefined);
    if (!response.ok) throw failureOf(response.status, await response.json().catch(() => undefined));
    return response.body ?? Readable.from([]);
  }

  async #call<T>(
    answer: z.ZodType<T>,
    method: string,
    path: string,
    body?: object,
    timeoutMs = this.answerTimeoutMs,
  ): Promise<T> {
    const response = await this.#send(method, path, body, timeoutMs);
    const content: unknown = await response.json().catch(() => undefined);
    if (response.ok) {
      const awaited = response.status === 202 ? awaitedApproval.safeParse(content).data : undefined;
      if (awaited) throw new AwaitsApproval(awaited);
      const parsed = answer.safeParse(content);
      if (parsed.success) return parsed.data;
      throw new Failure(
        `the server at ${this.#url} (OPERATOR_PORT) is not the operator API of this release of Plaza; check OPERATOR_PORT and the version`,
      );
    }
    throw failureOf(response.status, content);
  }

  /** Sends a request. `timeoutMs` undefined: no time limit. */
  async #send(
    method: string,
    path: string,
    body: object | undefined,
    timeoutMs: number | undefined,
  ): Promise<Response> {
    const credential = path === ENROLLMENTS ? {} : { authorization: `Bearer ${tokenOf(this.config)}` };
    const headers = { ...credential, 'x-operator': this.operator };
    try {
      const signal = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs);
      return await fetch(this.#url + path, { ...jsonRequest(method, headers, body), signal });
    } catch (error) {
      if ((error as Error).name === 'TimeoutError')
        throw new Failure(
          `the operator API at ${this.#url} does not answer; the command may have taken effect all the same`,
        );
      // fetch says only that it failed; its cause may have a code and no message.
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw unreachableFailure(this.config, message || (code ?? String(error)));
    }
  }
}

function failureOf(status: number, content: unknown): Failure {
  const { data } = refusal.safeParse(content);
  const message = data
    ? `${data.message} (${data.error})`
    : `the operator API answered ${status} without a reason; see its log`;
  return status < 500 ? new Refused(message) : new Failure(message);
}

const BATCHES = '/operator/batches';

const batchPath = (batchId: string) => `${BATCHES}/${encodeURIComponent(batchId)}`;

const ENROLLMENTS = '/operator/enrollments';

const operatorPath = (operatorId: string) => `/operator/operators/${encodeURIComponent(operatorId)}`;

const application = (clientId: string) => `/operator/applications/${encodeURIComponent(clientId)}`;

function tokenOf({ operatorToken, dataDir }: Config): string {
  const token = operatorToken ?? readSecret(join(dataDir, 'operator.token'));
  if (token !== undefined) return token;
  throw new Failure(
    `there is no operator token in ${dataDir} (DATA_DIR); start the network first, or set OPERATOR_TOKEN`,
  );
}
