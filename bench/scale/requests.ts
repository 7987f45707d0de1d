import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { Random } from '../audit/random.js';
import type { Sending } from '../load.js';
import { postBody } from '../post-body.js';
import { published } from '../published.js';
import { casesOf } from '../reads/cases.js';
import type { ReadCase } from '../reads/cases.js';
import { actorOf, grantOf, handleOf, postOf } from './society.js';
import type { Extent } from './society.js';
import { zipfBelow } from './zipf.js';

export interface Caller {
  readonly actorId: string;
  readonly token: string;
}

export interface Request {
  readonly token: string;
  readonly method: Sending['method'];
  readonly path: string;
  readonly body?: string;
}

export interface Read extends Request {
  readonly read: ReadCase;
}

export const readNames = casesOf().map(({ name }) => name);
export const writeNames = ['post', 'follow', 'like', 'reply'] as const;

const SEED = 43;
const CALLERS = 200;
/** Age of the cursor of the feed, in posts. */
const BEHIND = 1_000;
const DAY_MS = 24 * 60 * 60_000;

/** Gives each of these people a token, as if they had signed in at the application that has a grant of everybody. */
export async function tokensFor(pool: Pool, people: readonly string[]): Promise<readonly Caller[]> {
  const callers = people.map((actorId) => ({ actorId, token: randomUUID() }));
  await pool.query(
    `INSERT INTO authority.oidc_record (kind, key_hash, grant_id, payload, expires_at)
    SELECT 'AccessToken', key_hash, grant_id, '{}', $3 FROM unnest($1::bytea[], $2::text[]) AS row(key_hash, grant_id)`,
    [
      callers.map(({ token }) => credentialHash(token)),
      callers.map(({ actorId }) => grantOf(actorId)),
      new Date(Date.now() + DAY_MS),
    ],
  );
  return callers;
}

/** Requests of random actors by Zipf's law, the same ranks at each size. */
export class Requests {
  private readonly random = new Random(SEED);
  private readonly rank: () => number;

  private constructor(
    private readonly extent: Extent,
    private readonly callers: readonly Caller[],
    private readonly cursor: number,
  ) {
    this.rank = zipfBelow(extent.actors, this.random);
  }

  static async of(pool: Pool, extent: Extent): Promise<Requests> {
    const rank = zipfBelow(extent.actors, new Random(SEED));
    const ranks = new Set<number>();
    while (ranks.size < Math.min(CALLERS, extent.actors / 2)) ranks.add(rank());
    const callers = await tokensFor(pool, [...ranks].map(actorOf));
    const { schemaName } = await published(pool);
    const { rows } = await pool.query<{ position: string }>(
      `SELECT position FROM "${schemaName}".post WHERE id = $1`,
      [postOf(Math.max(extent.posts - BEHIND, 0))],
    );
    return new Requests(extent, callers, Number(rows[0]?.position));
  }

  reads(name: string, count: number): readonly Read[] {
    return Array.from({ length: count }, (_, n) => {
      const rank = this.rank();
      const cases = casesOf({
        actorId: actorOf(rank),
        handle: handleOf(rank),
        actorIds: Array.from({ length: 50 }, (_, more) => actorOf((rank + more) % this.extent.actors)),
        postId: this.popularPost(),
        cursor: this.cursor,
      });
      const read = cases.find((each) => each.name === name);
      if (!read) throw new Error(`there is no read ${name}`);
      return { token: this.callerOf(n).token, method: 'GET', path: read.path, read };
    });
  }

  writes(name: (typeof writeNames)[number], count: number): readonly Request[] {
    return Array.from({ length: count }, (_, n) => this.write(name, this.callerOf(n)));
  }

  private write(name: (typeof writeNames)[number], { actorId, token }: Caller): Request {
    const { actors, posts } = this.extent;
    if (name === 'post' || name === 'reply') {
      const body = postBody(name === 'reply' ? this.popularPost() : undefined);
      return { token, method: 'POST', path: '/api/posts', body };
    }
    const target = name === 'like' ? postOf(this.random.below(posts)) : actorOf(this.random.below(actors));
    if (target === actorId) return this.write(name, { actorId, token });
    const body = JSON.stringify({ intentId: randomUUID() });
    return { token, method: 'PUT', path: `/api/relations/${name}/${target}`, body };
  }

  private popularPost(): string {
    return postOf(this.random.skewedBelow(this.extent.posts));
  }

  private callerOf(n: number): Caller {
    const caller = this.callers[n % this.callers.length];
    if (!caller) throw new Error('there are no callers');
    return caller;
  }
}

export interface Answer {
  /** Until its last byte was read. */
  readonly ms: number;
  readonly bytes: number;
}

const CONNECTIONS = 4;

/** Sends the requests, four at a time. */
export async function answersOf(baseUrl: string, requests: readonly Request[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const waiting = requests.values();
  const connection = async () => {
    for (const { token, method, path, body } of waiting) {
      const begun = performance.now();
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      });
      const answer = await response.text();
      answers.push({ ms: performance.now() - begun, bytes: Buffer.byteLength(answer) });
      if (response.status !== 200)
        throw new Error(`${method} ${path} was answered ${response.status}: ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return answers;
}
