import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { readFeed } from '../../projections/feed/feed.read-model.js';
import type { FeedPage } from '../../projections/feed/feed.read-model.js';
import { sharedFeed } from '../../projections/feed/shared-feed.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { isSampled } from '../support/sample.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';
import { actors, histories, SocialHistory } from './support/social-history.js';

const SEED = 20_261_123;
const readers = [...actors, null];
const everything = 500;

type CallerCursor = { readonly as: string | null; readonly cursor: number };

const readAlone = (models: ReadModels, { as, cursor }: CallerCursor) =>
  models.ask(readFeed, { cursor, limit: everything }, as);
const readEachAlone = async (models: ReadModels, places: readonly CallerCursor[]) => {
  const pages: FeedPage[] = [];
  for (const place of places) pages.push(await readAlone(models, place));
  return pages;
};
const readTogether = (models: ReadModels, places: readonly CallerCursor[], most = everything) =>
  models.askAll(sharedFeed, { most }, places);

describe('the feed of many callers', () => {
  let postgres: TestPostgres;
  let database: string;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());

  test('gives each caller the page that a single read would give, at any cursor', async () => {
    let eventCount = 0;
    const property = fc.asyncProperty(histories, async (rounds) => {
      const models = await ReadModels.open(database);
      await models.given(some.application('app'), ...actors.map((actor) => some.account(actor)));
      const society = new SocialHistory();
      const cursors: number[] = [];
      for (const round of rounds) {
        const { cursor } = await models.ask(readFeed, { cursor: undefined, limit: 1 }, null);
        cursors.push(cursor);
        for (const act of round) await models.given(...society.eventsOf(act));
        const places = cursors.slice(-4).flatMap((from) => readers.map((as) => ({ as, cursor: from })));
        const pages = await readEachAlone(models, places);
        expect(await readTogether(models, places)).toEqual(pages);
        eventCount += pages.flatMap(({ events }) => events).length;
      }
      await models.close();
    });
    const numRuns = isSampled ? 3 : 15;
    await fc.assert(property, { numRuns, seed: SEED });
    expect(eventCount).toBeGreaterThan(40 * numRuns);
  });

  test('advances in steps without duplicates or gaps, even for callers who were ahead', async () => {
    const models = await ReadModels.open(database);
    await models.given(some.application('app'), ...actors.map((actor) => some.account(actor)));
    const start = (await models.ask(readFeed, { cursor: undefined, limit: 1 }, null)).cursor;
    for (let n = 0; n < 9; n++)
      await models.given(
        some.post(`p${n}`, { mentions: n % 2 === 0 ? ['bob'] : [] }),
        n % 3 === 0 ? some.like('eve', `p${n}`) : some.edit(`p${n}`),
      );
    let places: readonly CallerCursor[] = readers.flatMap((as) =>
      [start, start + 400, start + 1_500].map((cursor) => ({ as, cursor })),
    );
    const all = await readEachAlone(models, places);
    const collected = places.map((): unknown[] => []);
    const end = all[0]?.cursor ?? 0;
    let steps = 0;
    while (places.some(({ cursor }) => cursor < end)) {
      const pages = await readTogether(models, places, 3);
      pages.forEach((page, index) => {
        expect([page.replace, page.cursor >= (places[index]?.cursor ?? 0)]).toEqual([false, true]);
        collected[index]?.push(...page.events);
      });
      places = places.map(({ as }, index) => ({ as, cursor: pages[index]?.cursor ?? 0 }));
      steps++;
    }
    expect(collected).toEqual(all.map(({ events }) => events));
    expect(steps).toBeGreaterThan(4);
    await models.close();
  });

  test.each([
    ['a deletion', some.deletion('p1')],
    ['a restriction', some.restriction('p1')],
    ['a block', some.block('ada', 'bob')],
    ['a suspension', some.suspension('ada')],
    ['an erasure', some.erasure('ada')],
  ])('hides for each caller what %s hides while it is outstanding', async (_what, event) => {
    const models = await ReadModels.open(database);
    await models.given(some.application('app'), ...actors.map((actor) => some.account(actor)));
    await models.given(
      some.follow('bob', 'ada'),
      some.follow('eve', 'ada'),
      some.post('p1', { mentions: ['bob'] }),
      some.post('p2', { authorActorId: 'eve', parentId: 'p1', parentAuthorActorId: 'ada', rootId: 'p1' }),
      some.like('bob', 'p1'),
      some.profileChange('ada'),
    );
    const places = readers.map((as) => ({ as, cursor: 400 }));
    const before = await readTogether(models, places);
    await models.addOutstanding(event);
    const held = await readTogether(models, places);
    expect(held).toEqual(await readEachAlone(models, places));
    expect(held).not.toEqual(before);
    await models.close();
  });
});
