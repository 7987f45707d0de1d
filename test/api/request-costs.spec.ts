import { randomUUID } from 'node:crypto';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { requestAt, startApiProcess } from '../support/api-process.js';
import type { ApiProcess } from '../support/api-process.js';
import { startInterceptingProxy } from '../support/intercepting-proxy.js';
import type { InterceptingProxy } from '../support/intercepting-proxy.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { personWithToken } from '../support/people.js';
import { post } from '../support/social.js';
import { until } from '../support/until.js';
import { startOtlpSink } from '../telemetry/support/otlp-sink.js';
import type { OtlpSink } from '../telemetry/support/otlp-sink.js';

let network: TestNetwork;
let sink: OtlpSink;
let proxy: InterceptingProxy;
/** Its calls to the event store go through the proxy, and its spans to the sink. */
let api: ApiProcess;
let alice: SignedIn;
let bob: SignedIn;
let calls: string[] = [];
const ownAccounts = new Set<string>();

beforeAll(async () => {
  network = await lentNetwork();
  const url = network.env['EVENTSTORE_URL'] ?? '';
  const store = { url, dir: '', port: Number(/:(\d+)\?/.exec(url)?.[1]) };
  proxy = await startInterceptingProxy(store, (method, message) => {
    const stream = method === 'Read' ? streamReadBy(message) : undefined;
    // A network that others used before has erased accounts, which each process looks at from time to time.
    const isOfOthers = stream?.startsWith('account-') && !ownAccounts.has(stream);
    if (stream !== undefined && !isOfOthers) calls.push(`read ${/^[a-z]+/.exec(stream)?.[0]}`);
    if (method === 'BatchAppend') calls.push('append');
    return undefined;
  });
  sink = await startOtlpSink();
  api = await startApiProcess(network, {
    EVENTSTORE_URL: proxy.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
  const application = await registerApplication(network);
  const scope = 'openid read post:create post:delete relation:write block:write';
  alice = await personWithToken(network, application, scope);
  bob = await personWithToken(network, application, scope);
  for (const { actorId } of [alice, bob]) ownAccounts.add(`account-${actorId}`);
  // Reads and keeps their keys.
  for (const person of [alice, bob]) await post(person, 'first');
  await costOf('POST', '/api/posts', { text: 'first here', audience: 'public' });
  // The process looks up once which read models are published.
  await requestAt(network, api.port, 'GET', '/api/timeline', { by: alice });
});

afterAll(async () => {
  await api?.stop();
  proxy?.close();
  await sink?.stop();
  await network?.stop();
});

/** Undefined for a read of all streams, such as a heartbeat. */
function streamReadBy(message: Buffer): string | undefined {
  const stream = streamsPb.ReadReq.deserializeBinary(message).getOptions()?.getStream();
  return stream && Buffer.from(stream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
}

/** Calls to the event store, in any order, and prepared statements of a request of Alice. */
async function costOf(method: string, path: string, fields: object = {}) {
  calls = [];
  const { length } = sink.spans;
  const body = method === 'GET' ? undefined : { intentId: randomUUID(), ...fields };
  const { status } = await requestAt(network, api.port, method, path, { by: alice, body });
  const made = calls;
  const root = await until(() =>
    sink.spans
      .slice(length)
      .find(({ parentId, name }) => parentId === '' && name.startsWith(`${method} /api/`)),
  );
  const statements = sink.spans.flatMap(({ traceId, attributes }) =>
    traceId === root.traceId && 'db.operation.name' in attributes
      ? [String(attributes['plaza.statement'] ?? attributes['db.operation.name'])]
      : [],
  );
  return { status, calls: made.toSorted(), statements: statements.map((name) => name.replace(/@.*/, '')) };
}

it('a post is one append and one shared statement', async () => {
  expect(await costOf('POST', '/api/posts', { text: 'hello', audience: 'public' })).toEqual({
    status: 200,
    calls: ['append'],
    statements: ['mutation-admission'],
  });
});

it('a like is one append and two shared statements; the next one reads its own stream', async () => {
  const path = `/api/relations/like/${await post(bob, 'to be liked')}`;
  const first = await costOf('PUT', path);
  expect(first).toEqual({
    status: 200,
    calls: ['append'],
    statements: ['mutation-admission', 'shown-posts'],
  });
  expect((await costOf('PUT', path)).calls).toEqual(['append', 'read like']);
});

it('a reply is one append and two shared statements', async () => {
  const parentId = await post(bob, 'to be answered');
  expect(await costOf('POST', '/api/posts', { text: 'an answer', audience: 'public', parentId })).toEqual({
    status: 200,
    calls: ['append'],
    statements: ['mutation-admission', 'shown-posts'],
  });
});

it('a follow is one append and two shared statements', async () => {
  expect(await costOf('PUT', `/api/relations/follow/${bob.actorId}`)).toEqual({
    status: 200,
    calls: ['append'],
    statements: ['mutation-admission', 'account.states'],
  });
});

it.each([
  ['one actor', 'actor-by-id', () => `/${bob.actorId}`],
  ['50 actors', 'actors-by-ids', () => `?ids=${bob.actorId}${',nobody'.repeat(49)}`],
  ['an actor by the handle', 'actors-by-handle', () => '?handle=nobody'],
])('to read %s is one statement', async (_what, name, query) => {
  const cost = await costOf('GET', `/api/actors${query()}`);
  expect(cost).toEqual({ status: 200, calls: [], statements: [name] });
});

it('what the read models do not show is decided by the log', async () => {
  const gone = await post(bob, 'to be deleted');
  const { status } = await requestAt(
    network,
    api.port,
    'DELETE',
    `/api/posts/${gone}?intentId=${randomUUID()}&revision=1`,
    { by: bob },
  );
  expect(status).toBe(200);
  const refused = await costOf('PUT', `/api/relations/like/${gone}`);
  expect(refused).toMatchObject({
    status: 403,
    statements: ['mutation-admission', 'shown-posts', 'shown-posts'],
  });
  expect(refused.calls).toEqual(['read like', 'read post', 'read post']);
});
