import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { Role } from '../../src/domain/operator/roles.js';
import { streams } from '../../src/log/streams.js';
import { bringActs } from '../../src/operator/console/may.js';
import { withNames } from '../../src/operator/console/names.js';
import type { AwaitedRequest } from '../../src/operator/desk/approvals/awaited-approval.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { approvalPage } from '../../src/operator/operators/pages/approval.page.js';
import { approvalsPage } from '../../src/operator/operators/pages/approvals.page.js';
import { some } from '../projections/support/recorded.js';
import { awaited } from '../support/awaited.js';
import { Desk } from '../support/desk.js';
import type { OperatorsSeat } from '../support/desk.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { publish } from './support/publish.js';

const START = Date.UTC(2026, 0, 1);
const APP = 'app-1';

let postgres: TestPostgres;
let desk: Desk;
/** Ada requests, Bob approves, Eve administers alone, and Vera sees no person. */
let ada: OperatorsSeat;
let bob: OperatorsSeat;
let eve: OperatorsSeat;
let vera: OperatorsSeat;

bringActs(actTable);

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  desk = await Desk.open(postgres, START);
  ada = await desk.enroll(['administrator', 'moderator'], 'Ada');
  bob = await desk.enroll(['administrator', 'moderator'], 'Bob');
  eve = await desk.enroll(['administrator'], 'Eve');
  vera = await desk.enroll(['viewer'], 'Vera');
  await ada.post('four-eyes/on', { batchItems: 1 });
  await desk.given(streams.application(APP), some.application(APP, { name: 'Lamp shop' }));
  desk.advance(10_000);
});
afterEach(() => desk?.close());

/** Posts of one author through the application, by id in order. */
async function posts(count: number, authorActorId: string): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, n) => `post-${String(n).padStart(3, '0')}`);
  for (const id of ids)
    await desk.given(
      streams.post(id),
      some.post(id, { authorActorId, appId: APP, text: `buy lamp of ${id}`, at: START + 1 }),
    );
  await publish(desk);
  return ids;
}

async function requestBatch(): Promise<AwaitedRequest> {
  const window = {
    kind: 'posts',
    appId: APP,
    from: new Date(START).toISOString(),
    until: new Date(START + 5_000).toISOString(),
  } as const;
  const { digest } = await ada.post('batches/preview', window);
  return awaited(ada.post('batches', { ...window, digest, reason: 'a wave of spam' }));
}

async function batchOfPosts(count: number) {
  const authorActorId = await desk.account();
  const ids = await posts(count, authorActorId);
  return { authorActorId, ids, request: await requestBatch() };
}

const frameOf = ({ operatorId }: OperatorsSeat, ...roles: Role[]) => ({
  proof: '',
  session: { operatorId, name: 'x', roles, expiresAt: 0 } as never,
});

const read = ({ approvalId: id }: AwaitedRequest) => bob.get('approvals/:id', { id });

/** As the operator sees it, with all names. */
async function pageFor(seat: OperatorsSeat, request: AwaitedRequest, ...roles: Role[]): Promise<string> {
  const page = approvalPage(frameOf(seat, ...roles), await read(request));
  return (await withNames(desk.services, page)).replaceAll(/\s+/g, ' ');
}

const restrict = (id: string) => bob.post('posts/:id/restrict', { id, reason: 'spam' });

describe('a request', () => {
  it('says in words what is asked, about whom, how many, by whom, why and what happens', async () => {
    const { authorActorId, ids, request } = await batchOfPosts(22);
    expect(request.asks).toBe('Restrict 22 posts');
    const page = await pageFor(bob, request, 'moderator');
    for (const said of [
      '<h1 id="approval">Restrict 22 posts',
      'Nobody sees these posts any more.',
      '<bdi>Ada</bdi>',
      '<bdi>a wave of spam</bdi>',
      '<bdi>Lamp shop</bdi>',
      `<bdi>“buy lamp of ${ids[19]}”</bdi>`,
      `<bdi>The ${authorActorId}</bdi>`,
      'and 2 more',
      `href="/console/posts/${ids[0]}"`,
    ])
      expect(page).toContain(said);
    expect(page).not.toContain('batch.request');
    expect(page).not.toContain(`buy lamp of ${ids[20]}`);
    const list = approvalsPage(frameOf(bob, 'moderator'), await bob.get('approvals'));
    expect(list).toContain('>Restrict 22 posts</a>');
    expect(list).not.toContain('batch.request');
  });

  it('about one account names its person, in the list, too, and answers with ids alone', async () => {
    const actorId = await desk.account();
    const request = await awaited(ada.post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'x' }));
    const page = await pageFor(eve, request, 'administrator');
    expect(page).toContain(`<bdi>The ${actorId}</bdi>`);
    expect(page).toContain('erased for good, at once');
    const list = await bob.get('approvals');
    const listed = await withNames(desk.services, approvalsPage(frameOf(bob, 'moderator'), list));
    expect(listed).toContain(`<bdi>The ${actorId}</bdi>`);
    expect(JSON.stringify([list, await read(request)])).not.toContain(`The ${actorId}`);
  });

  it('says of texts that are not public how many they are, and offers them to whom they may be disclosed', async () => {
    const { ids, request } = await batchOfPosts(20);
    await restrict(ids[3]!);
    await publish(desk);
    const answer = await read(request);
    expect(answer.sample.filter(({ isPublic }) => !isPublic).map(({ id }) => id)).toEqual([ids[3]]);
    expect(JSON.stringify(answer)).not.toContain('buy lamp');
    const counts = await pageFor(eve, request, 'administrator');
    expect(counts).toContain('1 of these 20 is not public.');
    expect(counts).not.toContain('/console/texts/disclose');
    const offer = await pageFor(bob, request, 'moderator');
    for (const page of [offer, await pageFor(bob, request, 'auditor')])
      expect(page).toContain('action="/console/texts/disclose"');
    await expect(vera.get('approvals/:id', { id: request.approvalId })).rejects.toThrow(
      '(capability_required)',
    );
    for (const page of [counts, offer]) expect(page).not.toContain(`buy lamp of ${ids[3]}`);
    const [, eventId = ''] = /name="eventIds" value="([^"]+)"/.exec(offer) ?? [];
    const { disclosed } = await bob.post('texts/disclose', { eventIds: [eventId], reason: 'an approval' });
    expect(disclosed).toMatchObject([{ postId: ids[3], texts: { text: `buy lamp of ${ids[3]}` } }]);
    const recorded = await desk.log.read(streams.operatorDisclosures(bob.operatorId));
    expect(recorded.map(({ event }) => event.type)).toContain('text.disclosed');
    await expect(eve.post('texts/disclose', { eventIds: [eventId], reason: 'x' })).rejects.toThrow(
      '(capability_required)',
    );
  });

  it('marks a text that changed since, and binds the same digest', async () => {
    const { authorActorId, ids, request } = await batchOfPosts(3);
    const edit = { authorActorId, appId: APP, text: 'buy no lamp', at: START + 20_000 };
    await desk.given(streams.post(ids[1]!), some.edit(ids[1]!, edit));
    await publish(desk);
    const page = await pageFor(bob, request, 'moderator');
    const item = page.split('<li>').filter((each) => each.includes('changed since the request'));
    expect(item).toHaveLength(1);
    expect(item[0]).toContain('“buy no lamp”');
    const { approvalId: id, digest } = request;
    expect(await bob.post('approvals/:id/approve', { id, digest })).toEqual({ changed: true });
  });

  it('leads to its batch once it is executed', async () => {
    const accounts = { kind: 'accounts', actorIds: [await desk.account(), await desk.account()] } as const;
    const { digest: of } = await ada.post('batches/preview', accounts);
    const request = await awaited(ada.post('batches', { ...accounts, digest: of, reason: 'robots' }));
    const { approvalId: id, digest } = request;
    const link = `href="/console/batches/${id}"`;
    expect(await pageFor(bob, request, 'moderator')).not.toContain(link);
    await bob.post('approvals/:id/approve', { id, digest });
    await ada.post('approvals/:id/run', { id });
    expect(await pageFor(bob, request, 'moderator')).toContain(link);
    expect(await ada.get('batches/:id', { id })).toMatchObject({ kind: 'accounts', items: 2 });
  });

  it('costs as many statements with three posts as with 200', async () => {
    const statements = async (count: number) => {
      const { request } = await batchOfPosts(count);
      await pageFor(bob, request, 'moderator');
      const asked = jest.spyOn(Client.prototype, 'query');
      try {
        await pageFor(bob, request, 'moderator');
        return asked.mock.calls.length;
      } finally {
        asked.mockRestore();
      }
    };
    const few = await statements(3);
    await desk.close();
    desk = await Desk.open(postgres, START);
    ada = await desk.enroll(['administrator', 'moderator']);
    bob = await desk.enroll(['administrator', 'moderator']);
    await ada.post('four-eyes/on', { batchItems: 1 });
    desk.advance(10_000);
    await desk.given(streams.application(APP), some.application(APP));
    expect(await statements(200)).toBe(few);
  });
});

it('every act that may wait has words of its own, and none of the code', () => {
  const rules = actTable.flatMap(({ name, approval }) =>
    approval ? [{ name, words: approval.words({}) }] : [],
  );
  expect(rules.length).toBeGreaterThan(10);
  for (const { words } of rules) expect(`${words.asks} ${words.does}`).not.toMatch(/[a-z]+[._][a-z]+/);
  expect(new Set(rules.map(({ words: { asks } }) => asks)).size).toBe(rules.length);
});
