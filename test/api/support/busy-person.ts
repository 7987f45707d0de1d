import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { requestAt } from '../../support/api-process.js';
import type { ProcessAnswer } from '../../support/api-process.js';
import type { SignedIn } from '../../support/api.js';

const RETRY_MS = 50;
const MAX_WAIT_MS = 60_000;

/** API processes of one network, used in turn. */
interface Served {
  readonly baseUrl: string;
  readonly ports: readonly number[];
}

let requests = 0;

/** A killed process breaks connections and answers; all other errors fail the test. */
function ignoreLostConnection(error: unknown): undefined {
  if (error instanceof SyntaxError || (typeof error === 'object' && error && 'code' in error))
    return undefined;
  throw error;
}

export interface AcknowledgedPost {
  readonly text: string;
  readonly revision: number;
  /** All acknowledged ones. */
  readonly intents: readonly string[];
}

/** Acts until each act is acknowledged, and remembers what reads must then show. */
export class BusyPerson {
  readonly posts = new Map<string, AcknowledgedPost>();
  readonly deleted = new Map<string, readonly string[]>();
  bio = '';
  follows = 0;
  acts = 0;
  private newestRevision = 0;

  constructor(
    private readonly network: Served,
    readonly signedIn: SignedIn,
  ) {}

  async actUntil(over: AbortSignal, other: BusyPerson): Promise<void> {
    while (!over.aborted) {
      const id = await this.post();
      if (this.acts % 3 === 0) await this.edit(id);
      if (this.acts % 4 === 0) await this.delete(id);
      if (this.acts % 5 === 0) await this.follow(other);
      if (this.acts % 6 === 0) await this.changeBio();
      await this.checkNewestPost();
    }
  }

  /** Tries the API processes in turn until one answers without 503. */
  private async ask(method: string, path: string, body?: object): Promise<ProcessAnswer> {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const { ports } = this.network;
      const port = ports[requests++ % ports.length] ?? 0;
      const asking = { by: this.signedIn, body };
      const answer = await requestAt(this.network, port, method, path, asking).catch(ignoreLostConnection);
      if (answer && answer.status !== 503) return answer;
      if (performance.now() > giveUpAt)
        throw new Error(`still no answer: ${method} ${path} ${answer?.body.error}`);
      await pause(RETRY_MS);
    }
  }

  private async mutate(method: string, path: string, fields: object, inQuery = false) {
    const intentId = randomUUID();
    const query = new URLSearchParams({ intentId, ...fields });
    const { status, body } = inQuery
      ? await this.ask(method, `${path}?${query.toString()}`)
      : await this.ask(method, path, { intentId, ...fields });
    assert.deepEqual([method, path, status, body.error], [method, path, 200, undefined]);
    this.acts++;
    return { intentId, ...body };
  }

  private async post(): Promise<string> {
    const text = `act ${this.acts}`;
    const { intentId, post } = await this.mutate('POST', '/api/posts', { text, audience: 'public' });
    assert.deepEqual([post.revision, post.status], [1, 'published']);
    this.posts.set(post.id, { text, revision: 1, intents: [intentId] });
    return post.id;
  }

  private async edit(id: string): Promise<void> {
    const text = `edited as act ${this.acts}`;
    const { intentId, post } = await this.mutate('PATCH', `/api/posts/${id}`, { text, revision: 1 });
    const { intents = [] } = this.posts.get(id) ?? {};
    this.posts.set(id, { text, revision: post.revision, intents: [...intents, intentId] });
  }

  private async delete(id: string): Promise<void> {
    const { revision, intents = [] } = this.posts.get(id) ?? {};
    const { intentId } = await this.mutate(
      'DELETE',
      `/api/posts/${id}`,
      { revision: String(revision) },
      true,
    );
    this.posts.delete(id);
    this.deleted.set(id, [...intents, intentId]);
  }

  private async follow(other: BusyPerson): Promise<void> {
    const path = `/api/relations/follow/${other.signedIn.actorId}`;
    const { relation } = await this.mutate('PUT', path, {});
    assert.equal(relation.generation, String(++this.follows));
    await this.mutate('DELETE', path, {}, true);
  }

  private async changeBio(): Promise<void> {
    const { revision } = (await this.ask('GET', '/api/profile')).body.profile;
    this.bio = `at act ${this.acts}`;
    await this.mutate('PATCH', '/api/profile', { revision, bio: this.bio });
  }

  /** Every process shows the newest acknowledged post, and the revision never decreases. */
  private async checkNewestPost(): Promise<void> {
    const { headers, body } = await this.ask('GET', `/api/actors/${this.signedIn.actorId}/posts?limit=1`);
    const [id, kept] = [...this.posts].at(-1) ?? [];
    const [shown] = body.posts;
    assert.deepEqual([shown?.id, shown?.text], [id, kept?.text]);
    const revision = Number(headers['x-network-revision']);
    assert.ok(revision >= this.newestRevision, `${revision} after ${this.newestRevision}`);
    this.newestRevision = revision;
  }

  /** The person's posts, from the process at this port. */
  async postsShownBy(
    port: number,
  ): Promise<ReadonlyMap<string, Pick<AcknowledgedPost, 'text' | 'revision'>>> {
    const found = new Map<string, Pick<AcknowledgedPost, 'text' | 'revision'>>();
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const query = new URLSearchParams({ limit: '100', ...(cursor !== undefined && { cursor }) });
      const path = `/api/actors/${this.signedIn.actorId}/posts?${query.toString()}`;
      const { body } = await requestAt(this.network, port, 'GET', path, { by: this.signedIn });
      for (const { id, text, revision } of body.posts) {
        assert.ok(!found.has(id), `${id} twice`);
        found.set(id, { text, revision });
      }
      cursor = body.cursor;
    }
    return found;
  }
}
