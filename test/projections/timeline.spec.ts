import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { servingWith } from '../../projections/groups.js';
import type { PageArgs } from '../../projections/runner/page-query.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { permutations } from './support/permutations.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const FAN_OUT_THRESHOLD = 1;

describe('the timeline', () => {
  let postgres: TestPostgres;
  let database: string;
  let models: ReadModels;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    models = await ReadModels.open(database, servingWith({ fanOutThreshold: FAN_OUT_THRESHOLD }));
    await models.given(some.application('app', { name: 'Reader' }));
  });
  afterEach(() => models.close());

  const pageOf = (actorId: string, page: Partial<PageArgs> = {}) =>
    models.ask(timelineOf, { scan: 10, after: undefined, ...page }, actorId);
  const idsOf = async (actorId: string, page: Partial<PageArgs> = {}) =>
    (await pageOf(actorId, page))?.items.map(({ item }) => item.id);
  const posted = (postId: string, authorActorId: string) => some.post(postId, { authorActorId });
  /** Adds more followers than the threshold. */
  const giveManyFollowers = (actorId: string) =>
    models.given(some.follow('x', actorId), some.follow('y', actorId));

  test('has the reader’s own posts and those of followed actors, with replies, newest first', async () => {
    await models.given(
      some.follow('eve', 'ada'),
      posted('a1', 'ada'),
      posted('e1', 'eve'),
      posted('b1', 'bob'),
    );
    await models.given(some.post('a2', { parentId: 'b1', rootId: 'b1' }));
    expect(await idsOf('eve')).toEqual(['a2', 'e1', 'a1']);
    expect(await idsOf('ada')).toEqual(['a2', 'a1']);
    expect(await idsOf('nobody')).toEqual([]);
  });

  describe.each([
    ['written to each follower', false],
    ['merged when it is read', true],
  ])('of an author who is %s', (_name, isLarge) => {
    beforeEach(async () => {
      await models.given(posted('a1', 'ada'), posted('a2', 'ada'));
      if (isLarge) await giveManyFollowers('ada');
    });

    test('has each post from before and after the follow once', async () => {
      await models.given(some.follow('eve', 'ada'), posted('a3', 'ada'));
      expect(await idsOf('eve')).toEqual(['a3', 'a2', 'a1']);
      expect(await idsOf('ada')).toEqual(['a3', 'a2', 'a1']);
    });

    test('is empty after an unfollow, and complete after a new follow', async () => {
      await models.given(some.follow('eve', 'ada'), posted('a3', 'ada'), some.unfollow('eve', 'ada'));
      expect(await idsOf('eve')).toEqual([]);
      await models.given(posted('a4', 'ada'), some.follow('eve', 'ada', { generation: 2 }));
      expect(await idsOf('eve')).toEqual(['a4', 'a3', 'a2', 'a1']);
    });

    test('omits deleted posts, even for a later follow', async () => {
      await models.given(some.follow('eve', 'ada'), some.deletion('a1'), some.follow('bob', 'ada'));
      expect(await idsOf('eve')).toEqual(['a2']);
      expect(await idsOf('bob')).toEqual(['a2']);
    });

    test('omits a restricted post, and shows it again to those who follow when it is lifted', async () => {
      await models.given(some.follow('eve', 'ada'), some.restriction('a1'), some.follow('bob', 'ada'));
      expect([await idsOf('eve'), await idsOf('bob'), await idsOf('ada')]).toEqual([['a2'], ['a2'], ['a2']]);
      await models.given(some.unfollow('eve', 'ada'), some.unrestriction('a1'));
      expect([await idsOf('eve'), await idsOf('bob')]).toEqual([[], ['a2', 'a1']]);
      expect(await idsOf('ada')).toEqual(['a2', 'a1']);
    });

    test.each([
      ['the author has blocked the reader', some.block('ada', 'eve')],
      ['the reader has blocked the author', some.block('eve', 'ada')],
      ['the author is suspended', some.suspension('ada')],
    ])('is empty where %s', async (_why, event) => {
      await models.given(some.account('ada'), some.follow('eve', 'ada'), event);
      expect(await idsOf('eve')).toEqual([]);
    });

    test('is read a page at a time, each post once, whatever is posted meanwhile', async () => {
      await models.given(posted('b1', 'bob'), posted('e1', 'eve'), posted('a3', 'ada'));
      await models.given(some.follow('eve', 'ada'), some.follow('eve', 'bob'));
      const seen: string[] = [];
      for (let after: PageArgs['after']; ;) {
        const page = await pageOf('eve', { scan: 2, after });
        seen.push(...(page?.items.map(({ item }) => item.id) ?? []));
        await models.given(posted(`late${seen.length}`, 'ada'));
        if (!page?.last) break;
        after = page.last;
      }
      expect(seen).toEqual(['a3', 'e1', 'b1', 'a2', 'a1']);
    });
  });

  test('stays correct when an author crosses the threshold in either direction', async () => {
    await models.given(posted('a1', 'ada'), some.follow('eve', 'ada'), posted('a2', 'ada'));
    await models.given(some.follow('x', 'ada'), posted('a3', 'ada'));
    expect(await idsOf('eve')).toEqual(['a3', 'a2', 'a1']);
    await models.given(some.unfollow('x', 'ada'), posted('a4', 'ada'));
    expect(await idsOf('eve')).toEqual(['a4', 'a3', 'a2', 'a1']);
  });

  test('has the newest posts of a followed author as rows, and looks up the others', async () => {
    await models.givenInOneBatch(...Array.from({ length: 70 }, (_, index) => posted(`a${index}`, 'ada')));
    await models.given(posted('b1', 'bob'), some.follow('eve', 'ada'), posted('last', 'ada'));
    expect(await models.count('timeline', "actor_id = 'eve'")).toBe(61);
    const expected = ['last', ...Array.from({ length: 70 }, (_, index) => `a${69 - index}`)];
    expect(await idsOf('eve', { scan: 100 })).toEqual(expected);
    expect(
      await idsOf('eve', { scan: 2, after: (await pageOf('eve', { scan: 65 }))?.last ?? undefined }),
    ).toEqual(['a5', 'a4']);
    await models.given(some.unfollow('eve', 'ada'));
    expect(await models.count('timeline', "actor_id = 'eve'")).toBe(0);
    expect(await models.count('follow_start', 'true')).toBe(0);
  });

  test('keeps a bounded number of rows, and looks up the posts before them', async () => {
    const few = await ReadModels.open(database, servingWith({ fanOutThreshold: 1, kept: 20 }));
    await few.given(some.follow('eve', 'ada'));
    const ids = Array.from({ length: 200 }, (_, index) => `a${index}`);
    for (let n = 0; n < ids.length; n += 10)
      await few.givenInOneBatchOnce(...ids.slice(n, n + 10).map((id) => posted(id, 'ada')));
    const rows = await few.count('timeline', "actor_id = 'eve'");
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(rows).toBeLessThan(100);
    const seen: string[] = [];
    for (let after: PageArgs['after']; ;) {
      const page = await few.ask(timelineOf, { scan: 15, after }, 'eve');
      seen.push(...(page?.items.map(({ item }) => item.id) ?? []));
      if (!page?.last) break;
      after = page.last;
    }
    expect(seen).toEqual(ids.toReversed());
    await few.close();
  });

  test('keeps rows only for followed actors and existing posts', async () => {
    await models.given(
      some.follow('eve', 'ada'),
      posted('a1', 'ada'),
      posted('a2', 'ada'),
      some.deletion('a1'),
    );
    expect(await models.count('timeline', "actor_id = 'eve'")).toBe(1);
    await models.given(some.unfollow('eve', 'ada'));
    expect(await models.count('timeline', "actor_id = 'eve'")).toBe(0);
  });

  describe('is the same for any order of events in one batch:', () => {
    const [follow, before, other] = [some.follow('eve', 'ada'), posted('a1', 'ada'), posted('b1', 'bob')];
    const likeAgain = [some.like('z', 'b1'), some.unlike('z', 'b1'), some.like('z', 'b1', { generation: 2 })];
    test.each(
      permutations<readonly StoredEvent[]>([
        [some.follow('z', 'bob')],
        [other],
        likeAgain,
        [follow],
        [before],
      ]),
    )('%#', async (...parts) => {
      await models.givenInOneBatchOnce(...parts.flat());
      expect(await idsOf('eve')).toEqual(['a1']);
    });

    test.each(
      permutations([
        [before],
        [follow, some.unfollow('eve', 'ada'), some.follow('eve', 'ada', { generation: 2 })],
        [some.follow('x', 'ada')],
      ]),
    )('with a new follow and a crossing of the threshold: %#', async (...parts) => {
      await models.givenInOneBatchOnce(...parts.flat());
      expect(await idsOf('eve')).toEqual(['a1']);
    });
  });
});
