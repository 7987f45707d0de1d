/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { requestAt, startApiProcess } from '../support/api-process.js';
import type { ProcessAnswer, ApiProcess } from '../support/api-process.js';
import { openEventStream } from '../support/event-stream.js';
import type { EventStream } from '../support/event-stream.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let second: ApiProcess;
let ada: SignedIn;
/** All incarnations so far. */
const knownIncarnations: (string | null | undefined)[] = [];

beforeAll(async () => {
  network = await lentNetwork();
  second = await startApiProcess(network);
  ada = await personWithToken(network, await registerApplication(network));
  for (let n = 0; n < 5; n++) await ada.say(`post ${n}`);
});

afterAll(async () => {
  await second?.stop();
  await network?.stop();
});

/** The answers of both API processes. */
async function getFromBoth(path: string): Promise<readonly [ProcessAnswer, ProcessAnswer]> {
  const own = Number(new URL(network.baseUrl).port);
  const ask = (port: number) => requestAt(network, port, 'GET', path, { by: ada });
  return [await ask(own), await ask(second.port)];
}

interface ClientState {
  readonly incarnation: string;
  readonly page: string;
  readonly view: number;
  readonly stream: EventStream;
}

async function readClientState(): Promise<ClientState> {
  const page = await ada.get('/api/timeline?limit=2');
  const view = await ada.get('/api/reconcile');
  const stream = await openEventStream(network.baseUrl, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  return {
    incarnation: page.headers.get('x-network-incarnation') ?? '',
    page: page.body.cursor,
    view: view.body.cursor,
    stream,
  };
}

/** docs/api-decisions.md describes cursors and views of another incarnation. */
async function expectNewIncarnation({ incarnation, page, view, stream }: ClientState): Promise<void> {
  const sessions = await getFromBoth('/api/session');
  const shown = sessions.map(({ headers, body }) => [headers['x-network-incarnation'], body.incarnation]);
  expect(new Set(shown.flat()).size).toBe(1);
  expect([...knownIncarnations, incarnation]).not.toContain(shown[0]?.[0]);
  knownIncarnations.push(incarnation);
  for (const { status, body } of await getFromBoth(`/api/timeline?limit=2&cursor=${page}`))
    expect([status, body.error]).toEqual([400, 'invalid_page_cursor']);
  for (const { status, body } of await getFromBoth(`/api/reconcile?cursor=${view}`))
    expect([status, body.replace]).toEqual([200, true]);
  for (const { status, body } of await getFromBoth(`/api/events?cursor=${view}`))
    expect([status, body.replace]).toEqual([200, true]);
  await ada.say('something new');
  // The headers of the stream are outdated: it ends, and a new stream asks its client to reconcile.
  await until(() => stream.ended());
  const last = stream.messages.at(-1);
  expect([last?.event, JSON.parse(last?.data ?? '{}').error]).toEqual([
    'end',
    'recovery_publication_changed',
  ]);
  const id = stream.messages.findLast((message) => message.id !== undefined)?.id ?? '';
  const authorization = `Bearer ${ada.token}`;
  const again = await openEventStream(network.baseUrl, { headers: { authorization, 'last-event-id': id } });
  await until(() => again.messages.some(({ event }) => event === 'replace'));
  again.close();
  stream.close();
}

describe('two API processes notice a new incarnation', () => {
  it('after a rebuild', async () => {
    const before = await readClientState();
    const operator = operatorOf(network);
    const { id } = await operator.post('projections/rebuild', { names: [], reason: 'a test' });
    expect(await until(async () => (await operator.get('jobs/:id', { id })).state === 'published')).toBe(
      true,
    );
    await expectNewIncarnation(before);
  });

  it('after a rollback to the incarnation before', async () => {
    const before = await readClientState();
    const operator = operatorOf(network);
    const { job } = await operator.post('recovery/rollback', { reason: 'a test' });
    const id = job?.id ?? '';
    expect(await until(async () => (await operator.get('jobs/:id', { id })).state === 'published')).toBe(
      true,
    );
    await expectNewIncarnation(before);
  });
});
