import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FEED_RETENTION_HOURS } from '../../projections/feed/change.js';
import { readFeed } from '../../projections/feed/feed.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const HOUR_MS = 3_600_000;

describe('the feed', () => {
  let postgres: TestPostgres;
  let database: string;
  let models: ReadModels;
  let start: number;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    models = await ReadModels.open(database);
    await models.given(some.application('app'));
    start = Number(await models.given(some.account('ada'), some.account('bob'), some.account('eve')));
  });
  afterEach(() => models.close());

  const pageAfter = (cursor: number | undefined, as: string | null = 'bob', limit = 50) =>
    models.ask(readFeed, { cursor, limit }, as);
  const changesFor = async (as: string | null = 'bob') =>
    (await pageAfter(start, as)).events.map(({ kind, position }) => `${kind} ${position - start}`);

  test('begins at the end of the log without a cursor', async () => {
    const end = await models.given(some.post('p1'));
    expect(await pageAfter(undefined)).toEqual({ events: [], cursor: Number(end), replace: false });
  });

  test('accepts its own cursor in a new incarnation, and none from before', async () => {
    const validFrom = BigInt(start) + 1n;
    const ask = (cursor: number | undefined) => models.ask(readFeed, { cursor, limit: 50 }, 'ada', validFrom);
    const { cursor } = await ask(undefined);
    expect(await ask(start)).toMatchObject({ replace: true, cursor });
    expect(await ask(cursor)).toEqual({ events: [], cursor, replace: false });
    expect((await models.ask(reconcile, { cursor }, 'ada', validFrom)).replace).toBe(false);
    await models.given(some.post('p1'));
    expect((await ask(cursor)).events).toHaveLength(1);
  });

  test('shows a post to its author, to followers and to anonymous callers', async () => {
    await models.given(some.post('p1'), some.follow('bob', 'ada'));
    expect(await changesFor('ada')).toEqual(['post.created 100', 'inbox.added 200']);
    expect(await changesFor('bob')).toEqual(['post.created 100', 'relation.established 200']);
    expect(await changesFor('eve')).toEqual([]);
    expect(await changesFor(null)).toEqual(['post.created 100']);
  });

  test('shows a deletion to people who liked the post or were mentioned, without the post', async () => {
    await models.given(some.post('p1', { mentions: ['bob'] }), some.like('eve'), some.deletion('p1'));
    expect(await changesFor('bob')).toEqual(['post.deleted 300']);
    expect(await changesFor('eve')).toEqual(['post.deleted 300']);
    expect(await changesFor('ada')).toEqual(['post.deleted 300']);
  });

  test('shows a restriction as a deletion, and asks everybody to reconcile when it is lifted', async () => {
    await models.given(some.post('p1', { mentions: ['bob'] }), some.like('eve'), some.restriction('p1'));
    for (const caller of ['ada', 'bob', 'eve', null])
      expect(await changesFor(caller)).toEqual(['post.deleted 300']);
    await models.given(some.unrestriction('p1'));
    for (const caller of ['ada', 'bob', 'eve', null])
      expect(await pageAfter(start, caller)).toMatchObject({ events: [], replace: true });
  });

  test('shows the end of a relation to the actor who ended it, and asks the other side to reconcile', async () => {
    await models.given(some.follow('bob', 'ada'), some.unfollow('bob', 'ada'));
    expect(await changesFor('bob')).toEqual(['relation.ended 200']);
    expect(await pageAfter(start, 'ada')).toMatchObject({ events: [], replace: true });
    expect((await pageAfter(start + 200, 'ada')).replace).toBe(false);
  });

  test.each([
    ['a block', [some.block('bob', 'ada')]],
    ['the end of a block', [some.block('bob', 'ada'), some.unblock('bob', 'ada')]],
  ])('asks both sides of %s to reconcile', async (_what, events) => {
    await models.given(...events);
    expect([(await pageAfter(start, 'ada')).replace, (await pageAfter(start, 'bob')).replace]).toEqual([
      true,
      true,
    ]);
    expect((await pageAfter(start, 'eve')).replace).toBe(false);
  });

  test.each([
    ['suspended', [some.suspension('ada')]],
    ['reinstated', [some.suspension('ada'), some.reinstatement('ada')]],
  ])('asks everybody to reconcile when an account is %s', async (_what, events) => {
    await models.given(...events);
    for (const caller of ['ada', 'eve', null]) expect((await pageAfter(start, caller)).replace).toBe(true);
  });

  test('shows a changed profile, and not the registered one', async () => {
    await models.given(some.profileChange('ada', { revision: 1 }), some.profileChange('ada'));
    expect((await pageAfter(start, null)).events).toEqual([
      {
        position: start + 200,
        kind: 'profile.changed',
        at: 2_000,
        actorId: 'ada',
        profile: {
          actorId: 'ada',
          handle: 'ada_new',
          displayName: 'The new ada',
          bio: 'a bio',
          website: 'https://example.org/',
        },
      },
    ]);
  });

  test('comes in pages that connect, and moves on past changes for others', async () => {
    await models.given(some.follow('bob', 'ada'), some.post('p1'), some.post('p2'), some.post('p3'));
    const last = Number(await models.given(some.post('q1', { authorActorId: 'eve' })));
    const first = await pageAfter(start, 'bob', 3);
    expect(first.events.map(({ position }) => position - start)).toEqual([100, 200, 300]);
    expect(first.cursor).toBe(start + 300);
    const second = await pageAfter(first.cursor, 'bob', 3);
    expect(second.events.map(({ position }) => position - start)).toEqual([400]);
    expect(second.cursor).toBe(last);
    expect(await pageAfter(last)).toEqual({ events: [], cursor: last, replace: false });
  });

  test('reads a bounded number of changes at once, and continues after them', async () => {
    await models.given(some.follow('bob', 'ada'));
    const others = Array.from({ length: 1_005 }, (_, index) =>
      some.post(`q${index}`, { authorActorId: 'eve' }),
    );
    await models.givenInOneBatch(...others, some.post('p1', { mentions: ['bob'] }));
    const first = await pageAfter(start + 100);
    expect(first).toMatchObject({ events: [], cursor: start + 100 + 100_000, replace: false });
    expect((await pageAfter(first.cursor)).events).toMatchObject([
      { kind: 'post.created', post: { id: 'p1' } },
      { kind: 'inbox.added', entry: { sourceId: 'p1' } },
    ]);
  });

  test('never splits the changes of one position, however small the page', async () => {
    await models.given(some.follow('bob', 'ada'), some.post('p1', { mentions: ['bob'] }), some.post('p2'));
    const first = await pageAfter(start + 100, 'bob', 1);
    expect(first.events.map(({ kind }) => kind)).toEqual(['post.created', 'inbox.added']);
    expect(first.cursor).toBe(start + 200);
    expect((await pageAfter(first.cursor, 'bob', 1)).events).toMatchObject([{ post: { id: 'p2' } }]);
  });

  test('asks a caller ahead of the log to reconcile', async () => {
    expect((await pageAfter(start + 1)).replace).toBe(true);
  });

  test('keeps a week by the time of events, and asks a caller with an older cursor to reconcile', async () => {
    const at = (hour: number) => hour * HOUR_MS;
    await models.given(some.follow('bob', 'ada', { at: at(0) }), some.post('p1', { at: at(1) }));
    await models.given(some.post('p2', { at: at(FEED_RETENTION_HOURS - 1) }));
    expect((await pageAfter(start)).events).toHaveLength(3);
    const last = Number(await models.given(some.post('p3', { at: at(FEED_RETENTION_HOURS + 1) })));
    expect(await pageAfter(start + 100)).toEqual({ events: [], cursor: last, replace: true });
    expect((await pageAfter(start + 299)).events).toMatchObject([
      { post: { id: 'p2' } },
      { post: { id: 'p3' } },
    ]);
    expect((await models.digest()).match(/"kind":"post.created"/g)).toHaveLength(2);
  });

  test('has the same tables for one batch as for single events', async () => {
    const events = [0, 1, 100, 90, 200, 169, 300].map((hour, index) =>
      some.post(`p${index}`, { at: hour * HOUR_MS }),
    );
    const once = await ReadModels.open(database);
    const oneByOne = await ReadModels.open(database);
    await once.givenInOneBatch(...events);
    await oneByOne.given(...events);
    expect(await once.digest()).toBe(await oneByOne.digest());
    await once.close();
    await oneByOne.close();
  });
});
