import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { readSecret } from '../../launch/secret-file.js';
import { Failure } from './failure.js';
import { jsonRequest } from './json-request.js';

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
    const projection = z.object({
      name: z.string(),
      version: z.number(),
      position: z.union([z.string(), z.number()]),
      lag: z.number(),
    });
    const answer = z.object({ incarnation: z.string().nullable(), projections: z.array(projection) });
    return this.#call(answer, 'GET', '/operator/projections');
  }

  async #call<T>(answer: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    const response = await this.#send(method, path, body);
    const said: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer.parse(said);
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
      return await fetch(this.#url + path, jsonRequest(method, headers, body));
    } catch (error) {
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
