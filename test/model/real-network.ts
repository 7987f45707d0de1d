import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../support/api.js';
import type { Answer } from '../support/api.js';
import type { Person } from './people.js';

const PATIENCE_MS = 60_000;

/** The network as a few people use it. Requests that fail with 503 are repeated with the same intent. */
export class RealNetwork {
  /** Requests that changed something, with their answers. */
  readonly done: { readonly request: Mutation; readonly answer: Answer }[] = [];

  /** The newest revision that any of them wrote, which all later reads require. */
  private written = 0;

  constructor(
    readonly baseUrl: string,
    readonly people: readonly Person[],
  ) {}

  async get(who: Person, path: string): Promise<Answer> {
    return this.ask(who, 'GET', path);
  }

  async change({ who, method, path, body }: Mutation): Promise<Answer> {
    if (method !== 'DELETE') return this.ask(who, method, path, body);
    const query = new URLSearchParams(
      Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string]),
    );
    return this.ask(who, method, `${path}?${query.toString()}`);
  }

  private async ask(who: Person, method: string, path: string, body?: object): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${who.token}`,
      'x-network-min-revision': String(this.written),
    };
    for (const giveUpAt = Date.now() + PATIENCE_MS; ;) {
      const answer = await send(this.baseUrl, method, path, { headers, ...(body && { body }) });
      const revision = Number(answer.headers.get('x-network-write-revision') ?? 0);
      this.written = Math.max(this.written, revision);
      if (answer.status !== 503 || Date.now() > giveUpAt) return answer;
      await pause(100);
    }
  }
}

export interface Mutation {
  readonly who: Person;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The query of a DELETE. */
  readonly body: { readonly intentId: string; readonly [field: string]: unknown };
}

export const newIntent = (): { readonly intentId: string } => ({ intentId: randomUUID() });
