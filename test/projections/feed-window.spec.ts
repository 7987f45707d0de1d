import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FEED_RETENTION_HOURS } from '../../projections/feed/change.js';
import { readFeed } from '../../projections/feed/feed.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { Builds } from './support/builds.js';
import { MemoryLog } from './support/memory-log.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

let postgres: TestPostgres;
let models: ReadModels;

beforeAll(async () => {
  postgres = await startTestPostgres();
  models = await ReadModels.open(await postgres.createDatabase());
});
afterAll(async () => {
  await models.close();
  await postgres.stop();
});

test('expired changes disappear for readers at once, and from the table in bounded steps', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => some.post(`old${index}`, { at: 0 }));
  await models.givenInOneBatchOnce(...many);
  const old = () => models.count('change', 'at = 0');
  const left: number[] = [];
  for (let index = 0; index < 4; index++) {
    const at = (FEED_RETENTION_HOURS + index) * 3_600_000;
    await models.givenInOneBatchOnce(some.post(`new${index}`, { at }));
    left.push(await old());
    const { replace, events } = await models.ask(readFeed, { cursor: 100, limit: 50 }, 'ada');
    expect({ replace, events }).toEqual({ replace: true, events: [] });
  }
  expect(left.at(0)).toBeGreaterThan(1_000);
  expect(left.at(-1)).toBe(0);
});

test('a bulk build removes expired changes, whichever batch they are in', async () => {
  const builds = Builds.open(await postgres.createReadStore());
  const log = new MemoryLog();
  log.add(...Array.from({ length: 4_100 }, (_, index) => some.post(`old${index}`, { at: 0 })));
  const at = FEED_RETENTION_HOURS * 3_600_000;
  log.add(some.post('new', { at }), some.post('late', { at: 0 }));
  const incarnation = await builds.begin();
  await builds.build(log, incarnation);
  const { rows } = await builds.pool.query(
    `SELECT post_id FROM ${incarnation.schemaName}.change ORDER BY position`,
  );
  expect(rows).toEqual([{ post_id: 'new' }, { post_id: 'late' }]);
  expect((await builds.verify(log, incarnation)).differences).toEqual([]);
  await builds.close();
});
