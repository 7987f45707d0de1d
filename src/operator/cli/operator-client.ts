import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { readSecret } from '../../launch/secret-file.js';
import type { BackupPart } from '../../backup/format/manifest.js';
import * as answers from './answers.js';
import * as jobs from './job-answers.js';
import { Failure } from './failure.js';
import { jsonRequest } from './json-request.js';
import { nobodyAnswers } from './nobody-answers.js';

/** Longer than the network itself takes for anything: it gives up on a store that does not answer. */
const LONGEST_ANSWER_MS = 30_000;
/** `fetch` waits five minutes at the most, and then says that nobody answers. */
const LONGEST_REVOCATION_MS = 4 * 60_000;
const LONGEST_COMPARISON_MS = 4 * 60_000;

const refusal = z.object({ error: z.string(), message: z.string() });

export interface Application {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Undefined: none. */
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
  readonly scopes: readonly string[];
}

export interface Account {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly password: string;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly post?: string | undefined;
  readonly app?: string | undefined;
  readonly grant?: string | undefined;
  /** Unix milliseconds. */
  readonly since?: number | undefined;
}

/** The operator API of a running network. Whatever goes wrong is a {@link Failure} that says it in one line. */
export class OperatorClient {
  readonly #url: string;
  readonly #token: string;

  /** @param operator whose acts these are: recorded with each of them. */
  constructor(
    private readonly config: Config,
    private readonly operator: string,
    private readonly longestAnswerMs = LONGEST_ANSWER_MS,
  ) {
    this.#url = operatorUrl(config);
    this.#token = config.operatorToken ?? generatedToken(config.dataDir);
  }

  registerApplication(application: Application, reason?: string) {
    return this.#call(answers.registered, 'POST', '/operator/applications', { ...application, reason });
  }

  applications() {
    return this.#call(answers.applications, 'GET', '/operator/applications');
  }

  /** `revision`: the lifecycle revision that it must be at; undefined: any. Here as for accounts and posts. */
  setApplicationState(clientId: string, act: 'suspend' | 'reinstate', reason?: string, revision?: number) {
    return this.#call(answers.turned, 'POST', `${application(clientId)}/${act}`, { reason, revision });
  }

  rotateSecret(clientId: string, overlapMs: number, reason?: string) {
    return this.#call(answers.rotatedSecret, 'POST', `${application(clientId)}/rotate-secret`, {
      overlapMs,
      reason,
    });
  }

  /** Takes as long as there are grants. */
  revokeGrants(clientId: string, reason?: string) {
    const path = `${application(clientId)}/revoke-grants`;
    return this.#call(answers.revoked, 'POST', path, { reason }, LONGEST_REVOCATION_MS);
  }

  createAccount(account: Account, reason?: string) {
    return this.#call(answers.created, 'POST', '/operator/accounts', { ...account, reason });
  }

  setAccountState(actorId: string, act: 'suspend' | 'reinstate', reason: string, revision?: number) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/${act}`;
    return this.#call(answers.turned, 'POST', path, { reason, revision });
  }

  /** `delayMs`: how long it can be cancelled; 0: at once, and for good. */
  eraseAccount(actorId: string, delayMs: number, reason: string, revision?: number) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/erase`;
    return this.#call(answers.erased, 'POST', path, { reason, revision, delayMs });
  }

  cancelErasure(actorId: string, reason: string) {
    const path = `/operator/accounts/${encodeURIComponent(actorId)}/cancel-erasure`;
    return this.#call(answers.turned, 'POST', path, { reason });
  }

  setPostState(postId: string, act: 'restrict' | 'unrestrict', reason: string, revision?: number) {
    const path = `/operator/posts/${encodeURIComponent(postId)}/${act}`;
    return this.#call(answers.turned, 'POST', path, { reason, revision });
  }

  setPublishing(act: 'pause' | 'resume', reason?: string) {
    return this.#call(answers.changed, 'POST', `/operator/publishing/${act}`, { reason });
  }

  signingKeys() {
    return this.#call(answers.signingKeys, 'GET', '/operator/signing-keys');
  }

  rotateSigningKey(reason?: string) {
    return this.#call(answers.rotatedKey, 'POST', '/operator/signing-keys/rotate', { reason });
  }

  /** The first page, or the one after a position. */
  audit(filter: AuditFilter, after?: number) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...filter, after }))
      if (value !== undefined) query.set(name, String(value));
    return this.#call(answers.auditPage, 'GET', `/operator/audit?${query.toString()}`);
  }

  projections() {
    return this.#call(answers.projectionStatus, 'GET', '/operator/projections');
  }

  rebuild(names: readonly string[], reason?: string) {
    return this.#call(jobs.job, 'POST', '/operator/projections/rebuild', { names, reason });
  }

  job(id: string) {
    return this.#call(jobs.job, 'GET', `/operator/jobs/${encodeURIComponent(id)}`);
  }

  pauseJob(id: string) {
    return this.#call(answers.changed, 'POST', `/operator/jobs/${encodeURIComponent(id)}/pause`, {});
  }

  /** Compares all that witness and log have. */
  recoveryStatus() {
    return this.#call(jobs.recoveryStatus, 'GET', '/operator/recovery', undefined, LONGEST_COMPARISON_MS);
  }

  recoveryPlan() {
    const path = '/operator/recovery/plan';
    return this.#call(jobs.recoveryPlan, 'GET', path, undefined, LONGEST_COMPARISON_MS);
  }

  recover(reseedWitness: boolean, reason?: string) {
    const body = { reseedWitness, reason };
    return this.#call(jobs.askedJob, 'POST', '/operator/recovery/apply', body, LONGEST_COMPARISON_MS);
  }

  rollback(reason?: string) {
    return this.#call(jobs.askedJob, 'POST', '/operator/recovery/rollback', { reason });
  }

  beginBackup(parts: readonly BackupPart[], reason?: string) {
    return this.#call(answers.begunBackup, 'POST', '/operator/backups', { parts, reason });
  }

  /** The pieces of a part (see recovery/backup/parcel.ts), as they come. `upTo`: position of the log's last event. */
  async backupPart(part: BackupPart, upTo: string): Promise<AsyncIterable<Uint8Array>> {
    const path = `/operator/backups/${part}${part === 'log' ? `?upTo=${upTo}` : ''}`;
    const response = await this.#send('GET', path, undefined, undefined);
    if (!response.ok) throw faultOf(response.status, await response.json().catch(() => undefined));
    return response.body ?? Readable.from([]);
  }

  async #call<T>(
    answer: z.ZodType<T>,
    method: string,
    path: string,
    body?: object,
    patienceMs = this.longestAnswerMs,
  ): Promise<T> {
    const response = await this.#send(method, path, body, patienceMs);
    const said: unknown = await response.json().catch(() => undefined);
    if (response.ok) {
      const understood = answer.safeParse(said);
      if (understood.success) return understood.data;
      throw new Failure(
        `what answers at ${this.#url} (OPERATOR_PORT) is not the operator API of this release of Plaza`,
      );
    }
    throw faultOf(response.status, said);
  }

  /** `patienceMs`: undefined where the answer takes as long as it takes. */
  async #send(
    method: string,
    path: string,
    body: object | undefined,
    patienceMs: number | undefined,
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, 'x-operator': this.operator };
    try {
      const signal = patienceMs === undefined ? null : AbortSignal.timeout(patienceMs);
      return await fetch(this.#url + path, { ...jsonRequest(method, headers, body), signal });
    } catch (error) {
      if ((error as Error).name === 'TimeoutError')
        throw new Failure(
          `the operator API at ${this.#url} does not answer; what was asked may be done all the same`,
        );
      // fetch says only that it failed; its cause may have a code and no message.
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw nobodyAnswers(this.config, message || (code ?? String(error)));
    }
  }
}

function faultOf(status: number, said: unknown): Failure {
  const { data } = refusal.safeParse(said);
  return new Failure(
    data ? `${data.message} (${data.error})` : `the operator API answered ${status} without saying why`,
  );
}

const application = (clientId: string) => `/operator/applications/${encodeURIComponent(clientId)}`;

function generatedToken(dataDir: string): string {
  const token = readSecret(join(dataDir, 'operator.token'));
  if (token !== undefined) return token;
  throw new Failure(
    `there is no operator token in ${dataDir} (DATA_DIR); start the network first, or set OPERATOR_TOKEN`,
  );
}
