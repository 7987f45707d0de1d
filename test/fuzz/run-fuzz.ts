import * as fc from 'fast-check';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import type { OpenApi } from '../../src/doors/api/openapi/openapi.js';
import { registerApplication, send, signIn } from '../support/api.js';
import type { TestNetwork } from '../support/network.js';
import { brokenRequests, answerTo } from './broken-requests.js';
import { requestsOf } from './requests.js';
import type { Caller, FuzzRequest } from './requests.js';
import type { Likely } from './values.js';

export interface FuzzOptions {
  /** The number of requests. A quarter is anonymous; half comes from members and mentions existing ids. */
  readonly requests: number;
  readonly seed: number;
}

export interface FuzzReport {
  readonly requests: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byCaller: Readonly<Record<string, number>>;
  /** Answers that the published document lacks, with their requests. */
  readonly undeclared: readonly string[];
  /** Answers that no request may cause: 500, and 503 from a healthy network. */
  readonly failures: readonly string[];
  /** Operations of the social API that never succeeded. */
  readonly neverSucceeded: readonly string[];
}

/** Each batch has new people, tokens (which live for five minutes) and posts (which the requests delete). */
const BATCH = 5_000;
const AT_ONCE = 16;
const POSTS = 60;
/** One broken request for this many others. */
const WHOLE_FOR_BROKEN = 50;

/** Sends many invalid requests, and compares every answer with the published document. */
export async function runFuzz(network: TestNetwork, { requests, seed }: FuzzOptions): Promise<FuzzReport> {
  const { body } = await send(network.baseUrl, 'GET', '/api/openapi.json');
  const document = body as OpenApi;
  const tally = new Tally();
  for (let batch = 0; batch * BATCH < requests; batch++) {
    const { likely, credentialOf } = await populate(network);
    const size = Math.min(BATCH, requests - batch * BATCH);
    const sampled = fc.sample(requestsOf(document, likely), { seed: seed + batch, numRuns: size });
    await inParallel(sampled, (request) => tally.ask(network.baseUrl, request, credentialOf(request.caller)));
    const heads = brokenRequests(new URL(network.baseUrl).host);
    const broken = fc.sample(heads, { seed: seed + batch, numRuns: Math.ceil(size / WHOLE_FOR_BROKEN) });
    await inParallel(broken, async (bytes) =>
      tally.noteBroken(bytes, await answerTo(network.baseUrl, bytes)),
    );
  }
  const social = operationsOf(document).filter(({ path }) => !/^\/(api\/auth|\.well-known)\//.test(path));
  return tally.report(social.map(({ operation }) => operation.operationId));
}

class Tally {
  private readonly byStatus = new Map<number, number>();
  private readonly byCaller = new Map<string, number>();
  private readonly undeclared: string[] = [];
  private readonly failures: string[] = [];
  private readonly done = new Set<string>();

  async ask(baseUrl: string, request: FuzzRequest, authorization: string | undefined): Promise<void> {
    const { operationId, caller, method, path, body } = request;
    const headers: Record<string, string> = {
      ...request.headers,
      ...(authorization !== undefined && { authorization }),
    };
    const withBody = body !== undefined && method !== 'GET';
    count(this.byCaller, caller);
    try {
      const { status, body: said } = await send(baseUrl, method, path, {
        headers,
        ...(withBody && { body }),
      });
      count(this.byStatus, status);
      if (status === 200) this.done.add(operationId);
      // A request for a future revision gets 503 as documented; any other 503 is a failure.
      const isAway = status === 503 && headers['x-network-min-revision'] === undefined;
      if (status === 500 || isAway) this.failures.push(`${operationId} ${status} ${said?.error}`);
    } catch (error) {
      this.undeclared.push(error instanceof Error ? error.message : String(error));
    }
  }

  noteBroken(bytes: Buffer, { status, isError }: { status: number; isError: boolean }): void {
    count(this.byCaller, 'broken');
    count(this.byStatus, status);
    if (status >= 500) this.failures.push(`${JSON.stringify(bytes.toString('latin1'))} ${status}`);
    else if (status >= 400 && !isError)
      this.undeclared.push(`${status} is no Error: ${JSON.stringify(bytes.toString('latin1'))}`);
  }

  report(operations: readonly string[]): FuzzReport {
    const { undeclared, failures } = this;
    return {
      requests: [...this.byCaller.values()].reduce((sum, each) => sum + each, 0),
      byStatus: Object.fromEntries(this.byStatus),
      byCaller: Object.fromEntries(this.byCaller),
      undeclared,
      failures,
      neverSucceeded: operations.filter((operation) => !this.done.has(operation)),
    };
  }
}

const count = <Key>(counts: Map<Key, number>, key: Key): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** People who follow each other, with posts. */
async function populate(network: TestNetwork) {
  const application = await registerApplication(network);
  const everything = allScopes.filter((scope) => scope !== 'offline_access').join(' ');
  const members = [
    await signIn(network, application, everything),
    await signIn(network, application, everything),
  ];
  const limited = await signIn(network, application, 'openid');
  const said = Array.from({ length: POSTS }, (_, n) => members[n % 2]!.say(`number ${n}`));
  const posts = (await Promise.all(said)).map(({ body }) => String(body.post.id));
  const actors = members.map(({ actorId }) => actorId);
  const likely: Likely = {
    id: posts,
    parentId: posts,
    postId: posts,
    actorId: actors,
    targetId: [...actors, ...posts],
    audience: ['public'],
    kind: ['follow', 'like'],
    revision: [1, 2, 3],
    text: ['hello', 'hello @nobody', 'x'.repeat(2_001), 'e\u0301'.repeat(900)],
    website: ['', 'https://example.org/', 'javascript:alert(1)'],
    token: [limited.token, 'none'],
    'x-network-min-revision': ['0', '1', 'x'],
  };
  const basic = Buffer.from(`${application.clientId}:${application.clientSecret}`).toString('base64');
  const credentials: Readonly<Record<Caller, readonly (string | undefined)[]>> = {
    stranger: [undefined],
    member: members.map(({ token }) => `Bearer ${token}`),
    application: [`Basic ${basic}`],
    other: [`Bearer ${limited.token}`, 'Bearer nobody', 'Basic bm9ib2R5Og==', 'Bearer', 'Digest x'],
  };
  let turn = 0;
  const credentialOf = (caller: Caller) => credentials[caller][turn++ % credentials[caller].length];
  return { likely, credentialOf };
}
