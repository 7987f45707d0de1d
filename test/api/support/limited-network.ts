import { expect } from '@jest/globals';
import { Client } from 'pg';
import type { QueryResult } from 'pg';
import { limits } from '../../../src/base/config/limit-settings.js';
import { registerApplication, signIn } from '../../support/api.js';
import type { Application, SignedIn } from '../../support/api.js';
import { requestAt, startApiProcess } from '../../support/api-process.js';
import type { ApiProcess, ProcessAnswer, ProcessRequest } from '../../support/api-process.js';
import { startNetwork } from '../../support/network.js';
import type { TestNetwork } from '../../support/network.js';

/**
 * A network with limits and two further API processes, which have the test as their trusted proxy. The network's own
 * process trusts none.
 */
export class LimitedNetwork {
  private constructor(
    readonly network: TestNetwork,
    private readonly proxied: readonly [ApiProcess, ApiProcess],
    private readonly database: Client,
    private readonly application: Application,
  ) {}

  static async start(): Promise<LimitedNetwork> {
    const network = await startNetwork({ RATE_LIMITS: 'on' });
    try {
      const behindProxy = { TRUSTED_PROXIES: '127.0.0.1' };
      const proxied = await Promise.all([
        startApiProcess(network, behindProxy),
        startApiProcess(network, behindProxy),
      ]);
      const database = new Client({ connectionString: network.env['DATABASE_URL'] });
      await database.connect();
      return new LimitedNetwork(network, proxied, database, await registerApplication(network));
    } catch (error) {
      await network.stop();
      throw error;
    }
  }

  /** Sends a request to one of the processes behind the proxy. */
  ask(process: 0 | 1, path: string, request: ProcessRequest = {}, method = 'GET'): Promise<ProcessAnswer> {
    return requestAt(this.network, this.proxied[process].port, method, path, request);
  }

  /**
   * Sends concurrent requests to both, as many as a process takes from one address. One that a busy machine answers too
   * late (503) is sent once more.
   */
  async askOften(
    count: number,
    path: string,
    request: () => ProcessRequest,
    method = 'GET',
  ): Promise<readonly ProcessAnswer[]> {
    const one = async (_: unknown, n: number) => {
      const send = () => this.ask(n % 2 ? 1 : 0, path, request(), method);
      const answer = await send();
      return answer.status === 503 ? send() : answer;
    };
    const answers: ProcessAnswer[] = [];
    while (answers.length < count) {
      const length = Math.min(limits.inWork / 2, count - answers.length);
      answers.push(...(await Promise.all(Array.from({ length }, one))));
    }
    return answers;
  }

  /** Sends a request to the network's own process. */
  askDirectly(path: string, request: ProcessRequest): Promise<ProcessAnswer> {
    const port = Number(new URL(this.network.baseUrl).port);
    return requestAt(this.network, port, 'GET', path, request);
  }

  query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
    return this.database.query<Row>(sql, [...values]);
  }

  /** The database has no counts then. A process still has its leases, and its refusals. */
  async forgetCounts(): Promise<void> {
    await this.query('DELETE FROM limits.used');
  }

  /** A new person, whose sign-in is not counted. */
  async newPerson(scope?: string): Promise<SignedIn> {
    const person = await signIn(this.network, this.application, scope);
    await this.forgetCounts();
    return person;
  }

  async stop(): Promise<void> {
    await this.database.end();
    for (const each of this.proxied) await each.stop();
    await this.network.stop();
  }
}

export const from = (address: string): ProcessRequest => ({ headers: { 'x-forwarded-for': address } });

let addresses = 0;
export const newAddress = (): string => `198.51.100.${++addresses}`;

/** How many answers have each status. */
export function tally(answers: readonly ProcessAnswer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export const policyOf = ({ headers }: ProcessAnswer) => headers['ratelimit-policy'];
export const leftOf = ({ headers }: ProcessAnswer) =>
  Number(/;r=(\d+);/.exec(String(headers['ratelimit']))?.[1]);
export const hasLimitHeaders = ({ headers }: ProcessAnswer): boolean =>
  Object.keys(headers).some((name) => name.startsWith('ratelimit'));

export function expectRefusal(answer: ProcessAnswer, policy: string): void {
  expect([answer.status, answer.body]).toEqual([
    429,
    { error: 'pilot_rate_limited', message: expect.any(String) },
  ]);
  const { 'retry-after': wait, ratelimit } = answer.headers;
  expect(wait).toMatch(/^[1-9][0-9]*$/);
  expect(ratelimit).toBe(`"${policy}";r=0;t=${String(wait)}`);
}
