import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_COUNTED_UNREAD } from '../../projections/inbox/inbox.sql.js';
import { inboxOf, unreadCountOf } from '../../projections/inbox/inbox.read-model.js';
import type { PageArgs } from '../../projections/runner/page-query.js';
import type { MarkedEntries } from '../../src/commands/mark-inbox-read.js';
import type { EventOf } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const reply = (postId: string, by: string, data: Parameters<typeof some.post>[1] = {}) =>
  some.post(postId, {
    authorActorId: by,
    parentId: 'p1',
    parentAuthorActorId: 'ada',
    rootId: 'p1',
    ...data,
  });
const mention = (postId: string, by: string, mentions = ['ada']) =>
  some.post(postId, { authorActorId: by, mentions });
const read = (actorId: string, data: MarkedEntries & { at?: number }): EventOf<'inbox.read'> => ({
  type: 'inbox.read',
  data: { actorId, at: 9_000, ...data },
});

describe('the inbox read model', () => {
  let postgres: TestPostgres;
  let database: string;
  let models: ReadModels;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    models = await ReadModels.open(database);
    await models.given(some.account('bob'), some.post('p1'));
  });
  afterEach(() => models.close());

  const pageOf = (actorId: string, page: Partial<PageArgs> = {}) =>
    models.ask(inboxOf, { scan: 10, after: undefined, ...page }, actorId);
  /** Kind and source of each entry of ada; read ones have a star. */
  const entriesOfAda = async () =>
    (await pageOf('ada'))?.items.map(
      ({ item: { kind, sourceId, readAt } }) => `${kind} ${sourceId}${readAt === undefined ? '' : '*'}`,
    );
  const idOf = async (index: number) => (await pageOf('ada'))?.items[index]?.item.id ?? '';
  const unread = () => models.ask(unreadCountOf, undefined, 'ada');

  test('counts at most the newest thousand unread entries', async () => {
    const likes = Array.from({ length: MAX_COUNTED_UNREAD }, (_, index) => some.like(`fan${index}`, 'p1'));
    await models.givenInOneBatchOnce(some.like('bob', 'p1'), ...likes);
    expect(await unread()).toBe(MAX_COUNTED_UNREAD);
    await models.given(some.unlike('fan7', 'p1'));
    expect(await unread()).toBe(MAX_COUNTED_UNREAD - 1);
  });

  test('has exactly the published fields', async () => {
    await models.given(some.like('bob', 'p1', { at: 77 }));
    const entry = {
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      kind: 'like',
      sourceActorId: 'bob',
      sourceId: 'p1',
      createdAt: 77,
    };
    expect(await pageOf('ada')).toEqual({
      items: [{ key: [expect.any(BigInt)], item: entry }],
      last: null,
      unread: 1,
    });
    await models.given(read('ada', { ids: [await idOf(0)], at: 99 }));
    expect((await pageOf('ada'))?.items[0]?.item).toEqual({ ...entry, readAt: 99 });
  });

  test('has an entry for each action of others, newest first', async () => {
    await models.given(
      some.follow('bob'),
      some.like('bob'),
      reply('b1', 'bob'),
      mention('b2', 'bob', ['ada', 'eve']),
    );
    await models.given(reply('a2', 'ada', { mentions: ['ada'] }), some.like('ada'));
    expect(await entriesOfAda()).toEqual(['mention b2', 'reply b1', 'like p1', 'follow bob']);
    expect((await pageOf('eve'))?.items).toMatchObject([{ item: { kind: 'mention', sourceId: 'b2' } }]);
    expect((await pageOf('bob'))?.items).toEqual([]);
  });

  test('has one entry for one post: the reply, or the first mention', async () => {
    await models.given(reply('b1', 'bob', { mentions: ['ada', 'eve'] }));
    await models.given(some.edit('b1', { authorActorId: 'bob', mentions: ['ada', 'eve', 'joe'] }));
    await models.given(mention('b2', 'bob'), some.edit('b2', { authorActorId: 'bob', mentions: ['ada'] }));
    expect(await entriesOfAda()).toEqual(['mention b2', 'reply b1']);
    expect((await pageOf('eve'))?.items).toHaveLength(1);
    expect((await pageOf('joe'))?.items).toHaveLength(1);
  });

  test('has one entry for one post in one batch, too', async () => {
    const edited = (mentions: string[]) => some.edit('b1', { authorActorId: 'bob', mentions });
    await models.givenInOneBatch(
      reply('b1', 'bob', { mentions: ['ada'] }),
      edited(['ada', 'ada']),
      edited(['ada', 'eve']),
    );
    expect(await entriesOfAda()).toEqual(['reply b1']);
    expect((await pageOf('eve'))?.items).toHaveLength(1);
  });

  test('renews the entry of a repeated follow or like', async () => {
    await models.given(some.follow('bob'), some.like('bob'));
    const before = await idOf(1);
    await models.given(read('ada', { upTo: 5_000 }), some.unfollow('bob'));
    expect(await entriesOfAda()).toEqual(['like p1*']);
    await models.given(some.follow('bob', 'ada', { generation: 2, at: 6_000 }));
    expect(await entriesOfAda()).toEqual(['follow bob', 'like p1*']);
    expect((await pageOf('ada'))?.items[0]?.item).toMatchObject({ id: before, createdAt: 6_000 });
  });

  test('has the newest follow of those that begin and end in one batch', async () => {
    await models.givenInOneBatch(
      some.follow('bob'),
      some.unfollow('bob'),
      some.follow('bob', 'ada', { generation: 2, at: 6_000 }),
    );
    expect((await pageOf('ada'))?.items).toMatchObject([{ item: { createdAt: 6_000 } }]);
  });

  test('marks entries by id or up to a time, and none that came later', async () => {
    await models.given(
      reply('b1', 'bob', { at: 1_000 }),
      reply('b2', 'bob', { at: 2_000 }),
      reply('b3', 'bob', { at: 3_000 }),
    );
    await models.given(
      read('ada', { ids: [await idOf(1), 'nothing'] }),
      read('eve', { ids: [await idOf(0)] }),
    );
    expect([await entriesOfAda(), await unread()]).toEqual([['reply b3', 'reply b2*', 'reply b1'], 2]);
    await models.given(read('ada', { upTo: 1_000 }));
    expect(await entriesOfAda()).toEqual(['reply b3', 'reply b2*', 'reply b1*']);
    await models.given(read('ada', { upTo: 10_000 }), reply('b4', 'bob', { at: 4_000 }));
    expect([await entriesOfAda(), await unread()]).toEqual([
      ['reply b4', 'reply b3*', 'reply b2*', 'reply b1*'],
      1,
    ]);
  });

  test('shows many entries as read at once, whatever steps have applied', async () => {
    const fans = Array.from({ length: 250 }, (_, n) => some.like(`fan${n}`, 'p1', { at: 1_000 + n }));
    await models.givenInOneBatchOnce(...fans);
    const timesOf = async () => (await pageOf('ada', { scan: 300 }))?.items.map(({ item }) => item.readAt);
    await models.given(read('ada', { upTo: 1_199, at: 10 }));
    expect(await unread()).toBe(50);
    const [marked, unmarked] = [Array<number>(200).fill(10), Array<undefined>(50).fill(undefined)];
    for (let steps = 0; steps < 4; steps++) {
      expect(await timesOf()).toEqual([...unmarked, ...marked]);
      await models.settle(1);
    }
    expect(await models.count('inbox_mark', 'true')).toBe(0);
    expect(await models.count('inbox', 'read_at = 10')).toBe(200);
  });

  test('keeps the first of several marks that steps have not applied', async () => {
    const fans = Array.from({ length: 150 }, (_, n) => some.like(`fan${n}`, 'p1', { at: 1_000 + n }));
    await models.givenInOneBatchOnce(...fans);
    const oldest = (await pageOf('ada', { scan: 300 }))?.items.at(-1)?.item.id ?? '';
    await models.given(
      read('ada', { upTo: 1_139, at: 10 }),
      read('ada', { ids: [oldest], at: 15 }),
      some.like('bob', 'p1', { at: 1_000 }),
      read('ada', { upTo: 2_000, at: 20 }),
      some.like('eve', 'p1', { at: 1_000 }),
    );
    const times = [undefined, 20, ...Array<number>(10).fill(20), ...Array<number>(140).fill(10)];
    const timesOf = async () => (await pageOf('ada', { scan: 300 }))?.items.map(({ item }) => item.readAt);
    expect([await timesOf(), await unread()]).toEqual([times, 1]);
    await models.settle();
    expect([await timesOf(), await unread()]).toEqual([times, 1]);
  });

  test('keeps the time of the first reading', async () => {
    await models.given(
      some.follow('bob'),
      read('ada', { upTo: 5_000, at: 10 }),
      read('ada', { upTo: 5_000, at: 20 }),
    );
    expect((await pageOf('ada'))?.items[0]?.item.readAt).toBe(10);
  });

  test.each([
    ['the source is suspended', some.suspension('bob')],
    ['the reader has blocked the source', some.block('ada', 'bob')],
    ['the source has blocked the reader', some.block('bob', 'ada')],
  ])('shows and counts nothing where %s', async (_why, event) => {
    await models.given(some.follow('bob'), some.like('bob'), reply('b1', 'bob'), mention('b2', 'bob'));
    expect(await unread()).toBe(4);
    await models.given(event);
    expect(await pageOf('ada')).toEqual({ items: [], last: null, unread: 0 });
    expect(await unread()).toBe(0);
  });

  test.each([
    ['a deleted reply', some.deletion('b1', { authorActorId: 'bob' }), ['like p1', 'follow bob']],
    ['an ended like', some.unlike('bob'), ['reply b1', 'follow bob']],
    ['a like of a deleted post', some.deletion('p1'), ['reply b1', 'follow bob']],
    ['an ended follow', some.unfollow('bob'), ['reply b1', 'like p1']],
  ])('omits %s, also from the count', async (_what, event, left) => {
    await models.given(some.follow('bob'), some.like('bob'), reply('b1', 'bob'), event);
    expect(await entriesOfAda()).toEqual(left);
    expect(await unread()).toBe(2);
  });

  test('has no entry for posts of an erased person', async () => {
    await models.givenOfErasedPerson(reply('b1', 'bob', { mentions: [] }));
    expect(await entriesOfAda()).toEqual([]);
  });

  test('is paged before hidden entries are omitted', async () => {
    await models.given(reply('b1', 'bob'), reply('b2', 'bob'), reply('b3', 'bob'));
    await models.given(some.deletion('b2', { authorActorId: 'bob' }));
    const first = await pageOf('ada', { scan: 2 });
    expect(first?.items.map(({ item }) => item.sourceId)).toEqual(['b3']);
    expect(first?.unread).toBe(2);
    const second = await pageOf('ada', { scan: 2, after: first?.last ?? undefined });
    expect(second?.items.map(({ item }) => item.sourceId)).toEqual(['b1']);
    expect(second?.last).toBeNull();
  });
});
