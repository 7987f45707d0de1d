import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Config } from '../../base/config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { readSecret } from '../../launch/secret-file.js';
import { awaitedApproval } from './approval-answers.js';
import { AwaitsApproval } from './awaits-approval.js';
import { Failure, Refused, WrongArgument } from '../../base/terminal/failure.js';
import { jsonRequest } from './json-request.js';
import { unreachableFailure } from './unreachable-failure.js';

/** Longest wait for an answer of the operator API: longer than any timeout of the network itself for a store. */
const ANSWER_TIMEOUT_MS = 30_000;

/** The one route that needs no token. */
export const ENROLLMENTS = '/operator/enrollments';

const refusal = z.object({ error: z.string(), message: z.string() });

export class OperatorApi {
  readonly #url: string;

  /** @param operator name to claim, recorded with each command. */
  constructor(
    private readonly config: Config,
    private readonly operator: string,
    private readonly answerTimeoutMs = ANSWER_TIMEOUT_MS,
  ) {
    this.#url = operatorUrl(config);
  }

  /** @throws {Failure} */
  async stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send('GET', path, undefined, undefined);
    if (!response.ok) throw failureOf(response.status, await response.json().catch(() => undefined));
    return response.body ?? Readable.from([]);
  }

  /** @throws {Failure} {@link AwaitsApproval} */
  async call<T>(
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
  if (data?.error === 'invalid_request') return new WrongArgument(message);
  return status < 500 ? new Refused(message) : new Failure(message);
}

function tokenOf({ operatorToken, dataDir }: Config): string {
  const token = operatorToken ?? readSecret(join(dataDir, 'operator.token'));
  if (token !== undefined) return token;
  throw new Failure(
    `there is no operator token in ${dataDir} (DATA_DIR); start the network first, or set OPERATOR_TOKEN`,
  );
}
