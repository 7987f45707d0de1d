import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { readSecret } from '../../launch/secret-file.js';
import { Failure } from './failure.js';
import { jsonRequest } from './json-request.js';

/** Longer than the network itself takes for anything: it gives up on a store that does not answer. */
const LONGEST_ANSWER_MS = 30_000;

const refusal = z.object({ error: z.string(), message: z.string() });

export interface Application {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

export interface Account {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly password: string;
}

/** The operator API of a running network. Whatever goes wrong is a {@link Failure} that says it in one line. */
export class OperatorApi {
  readonly #url: string;
  readonly #token: string;

  /** @param operator whose acts these are: recorded with each of them. */
  constructor(
    config: Config,
    private readonly operator: string,
    private readonly longestAnswerMs = LONGEST_ANSWER_MS,
  ) {
    this.#url = operatorUrl(config);
    this.#token = config.operatorToken ?? generatedToken(config.dataDir);
  }

  registerApplication(application: Application, reason?: string) {
    const answer = z.object({ clientId: z.string(), clientSecret: z.string() });
    return this.#call(answer, 'POST', '/operator/applications', { ...application, reason });
  }

  createAccount(account: Account, reason?: string) {
    return this.#call(z.object({ actorId: z.string() }), 'POST', '/operator/accounts', {
      ...account,
      reason,
    });
  }

  projections() {
    const stopped = z.object({
      reason: z.string(),
      position: z.number().nullable(),
      eventId: z.string().nullable(),
    });
    const projection = z.object({
      name: z.string(),
      version: z.number(),
      /** Null: nothing is applied yet. */
      position: z.number().nullable(),
      /** Null: the log does not answer, or is not the one that was applied. */
      lag: z.number().nullable(),
      stopped: stopped.optional(),
    });
    const answer = z.object({ incarnation: z.string().nullable(), projections: z.array(projection) });
    return this.#call(answer, 'GET', '/operator/projections');
  }

  async #call<T>(answer: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    const response = await this.#send(method, path, body);
    const said: unknown = await response.json().catch(() => undefined);
    if (response.ok) {
      const understood = answer.safeParse(said);
      if (understood.success) return understood.data;
      throw new Failure(
        `what answers at ${this.#url} (OPERATOR_PORT) is not the operator API of this release of Plaza`,
      );
    }
    const { data } = refusal.safeParse(said);
    throw new Failure(
      data
        ? `${data.message} (${data.error})`
        : `the operator API answered ${response.status} without saying why`,
    );
  }

  async #send(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, 'x-operator': this.operator };
    try {
      const signal = AbortSignal.timeout(this.longestAnswerMs);
      return await fetch(this.#url + path, { ...jsonRequest(method, headers, body), signal });
    } catch (error) {
      if ((error as Error).name === 'TimeoutError')
        throw new Failure(
          `the operator API at ${this.#url} does not answer; what was asked may be done all the same`,
        );
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Failure(
        `no network answers at ${this.#url} (OPERATOR_PORT); start one with npm start: ${cause}`,
      );
    }
  }
}

function generatedToken(dataDir: string): string {
  const token = readSecret(join(dataDir, 'operator.token'));
  if (token !== undefined) return token;
  throw new Failure(
    `there is no operator token in ${dataDir} (DATA_DIR); start the network first, or set OPERATOR_TOKEN`,
  );
}
