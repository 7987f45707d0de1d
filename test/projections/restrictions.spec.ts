import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { restrictions } from '../../projections/restrictions/restrictions.projection.js';
import { restrictionTypes } from '../../src/log/restrictions.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { oneOfEach, ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const events = oneOfEach(some);

describe('the restrictions read model', () => {
  let postgres: TestPostgres;
  let models: ReadModels;
  let database: string;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    models = await ReadModels.open(database, { name: 'serving', projections: [restrictions] });
  });
  afterEach(() => models.close());

  test.each(restrictionTypes)('records the witness epoch of %s', async (type) => {
    const event = events.get(type);
    if (!event) throw new Error(`there is no example of ${type}`);
    await models.givenWithMetadata({ witnessEpoch: 7 }, event);
    expect(await models.count('restriction', 'witness_epoch = 7')).toBe(1);
    expect(await models.witnessEpoch()).toBe(1);
  });

  test('counts applied restrictions, despite gaps in their epochs', async () => {
    await models.givenWithMetadata({ witnessEpoch: 3 }, some.block('ada', 'bob'));
    await models.givenWithMetadata({ witnessEpoch: 9 }, some.unblock('ada', 'bob'));
    expect(await models.witnessEpoch()).toBe(2);
  });

  test('counts neither unwitnessed events nor other events of a restricting command', async () => {
    await models.given(some.block('ada', 'bob'));
    await models.givenWithMetadata({ witnessEpoch: 4 }, some.unfollow('ada', 'bob'));
    expect(await models.count('restriction', 'true')).toBe(0);
    expect(await models.witnessEpoch()).toBe(0);
  });
});
