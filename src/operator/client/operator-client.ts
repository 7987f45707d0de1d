import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Config } from '../../base/config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { readSecret } from '../../launch/secret-file.js';
import type { Act } from '../desk/act.js';
import type { AwaitedRequest } from '../desk/approvals/awaited-approval.js';
import { AwaitsApproval } from './awaits-approval.js';
import type { Calls } from './calls.js';
import { Failure, Refused, WrongArgument } from '../../base/terminal/failure.js';
import { jsonRequest } from './json-request.js';
import { REQUEST_ID } from '../../server/client-request-id.js';
import { unreachableFailure } from './unreachable-failure.js';

/** Longest wait for an answer of the operator API: longer than any timeout of the network itself for a store. */
const ANSWER_TIMEOUT_MS = 30_000;
/** Below the five minutes after which `fetch` itself gives up. */
const SLOW_TIMEOUT_MS = 4 * 60_000;
/** Acts that compare log and witness first, change all grants of an application, or erase many people. */
const slow: ReadonlySet<string> = new Set([
  'POST /operator/applications/:id/revoke-grants',
  'POST /operator/accounts/erase',
  'GET /operator/recovery',
  'GET /operator/recovery/plan',
  'POST /operator/recovery/apply',
  'POST /operator/approvals/:id/run',
]);

/** The one route that needs no token. */
const ENROLLMENTS = '/operator/enrollments';

const refusal = z.object({ error: z.string(), message: z.string() });

type Given = Readonly<Record<string, unknown>>;

/** Client of the operator API of a running network. */
export class OperatorClient {
  readonly #url: string;

  /** @param operator name to claim, recorded with each command. */
  constructor(
    private readonly config: Config,
    private readonly operator: string,
    private readonly answerTimeoutMs = ANSWER_TIMEOUT_MS,
    private readonly newRequestId: () => string = randomUUID,
  ) {
    this.#url = operatorUrl(config);
  }

  /** The calls of these rows of the table of acts. */
  of<Rows extends readonly Act[]>(): Calls<Rows[number]> {
    return this as unknown as Calls<Rows[number]>;
  }

  /** See {@link Calls}. @throws {Failure} {@link AwaitsApproval} */
  async call(route: string, given: Given = {}): Promise<unknown> {
    const response = await this.#send(route, given, slow.has(route) ? SLOW_TIMEOUT_MS : this.answerTimeoutMs);
    const content: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw failureOf(response.status, content);
    if (typeof content !== 'object' || content === null) throw this.#isNoOperatorApi();
    if (response.status === 202 && 'waitsFor' in content)
      throw new AwaitsApproval(content as unknown as AwaitedRequest);
    return content;
  }

  /** Streams the answer, without a time limit. @throws {Failure} */
  async stream(route: string, given: Given): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send(route, given, undefined);
    if (!response.ok) throw failureOf(response.status, await response.json().catch(() => undefined));
    return response.body ?? Readable.from([]);
  }

  /** `timeoutMs` undefined: no time limit. */
  async #send(route: string, given: Given, timeoutMs: number | undefined): Promise<Response> {
    const { method, path, body } = requestOf(route, given);
    const credential = path === ENROLLMENTS ? {} : { authorization: `Bearer ${tokenOf(this.config)}` };
    const requestId = this.newRequestId();
    const headers = { ...credential, 'x-operator': this.operator, [REQUEST_ID]: requestId };
    let response: Response;
    try {
      const signal = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs);
      response = await fetch(this.#url + path, { ...jsonRequest(method, headers, body), signal });
    } catch (error) {
      if ((error as Error).name === 'TimeoutError')
        throw new Failure(
          `the operator API at ${this.#url} does not answer; the command may have taken effect all the same`,
        );
      // fetch says only that it failed; its cause may have a code and no message.
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw unreachableFailure(this.config, message || (code ?? String(error)));
    }
    // Each release of Plaza repeats the id. An answer of any other server would pass for a success.
    if (response.ok && response.headers.get(REQUEST_ID) !== requestId) throw this.#isNoOperatorApi();
    return response;
  }

  #isNoOperatorApi(): Failure {
    return new Failure(
      `the server at ${this.#url} (OPERATOR_PORT) is not the operator API of this release of Plaza; check OPERATOR_PORT and the version`,
    );
  }
}

/** Fields that are no parameter of the address are the query of a GET, or else the body. Undefined ones are left out. */
function requestOf(route: string, given: Given) {
  const [method = '', pattern = ''] = route.split(' ');
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== undefined));
  const path = pattern.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  if (method !== 'GET') return { method, path, body: Object.fromEntries(fields) };
  const query = new URLSearchParams(
    [...fields].map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { method, path: fields.size === 0 ? path : `${path}?${query.toString()}` };
}

function failureOf(status: number, content: unknown): Failure {
  const { data } = refusal.safeParse(content);
  const message = data
    ? `${data.message} (${data.error})`
    : `the operator API answered ${status} without a reason; see its log`;
  if (data?.error === 'invalid_request') return new WrongArgument(message);
  return status < 500 ? new Refused(message, { code: data?.error }) : new Failure(message);
}

function tokenOf({ operatorToken, dataDir }: Config): string {
  const token = operatorToken ?? readSecret(join(dataDir, 'operator.token'));
  if (token !== undefined) return token;
  throw new Failure(
    `there is no operator token in ${dataDir} (DATA_DIR); start the network first, or set OPERATOR_TOKEN`,
  );
}
