import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { intentOutcomes } from '../../projections/intents/intents.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const by = (intentId: string, actorId = 'ada', appId = 'app') => ({ intentId, actorId, appId });

describe('the intents read model', () => {
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
  });
  afterEach(() => models.close());

  const lookUp = (...intentIds: string[]) => models.ask(intentOutcomes, { intentIds }, 'ada');

  test('lists executed and unknown intents, in the requested order', async () => {
    await models.givenWithMetadata(by('i1'), some.post('p1'));
    await models.givenWithMetadata(by('i2'), some.follow('ada', 'bob'));
    expect(await lookUp('i2', 'i3', 'i1', 'i2')).toEqual([
      { intentId: 'i2', outcome: 'kept' },
      { intentId: 'i3', outcome: 'unknown' },
      { intentId: 'i1', outcome: 'kept', postId: 'p1' },
      { intentId: 'i2', outcome: 'kept' },
    ]);
  });

  test.each([
    ['a post', some.post('p1'), 'p1'],
    ['an edit', some.edit('p1'), 'p1'],
    ['a deletion', some.deletion('p1'), 'p1'],
    ['a follow', some.follow('ada', 'bob'), undefined],
    ['an unfollow', some.unfollow('ada', 'bob'), undefined],
    ['a block', some.block('ada', 'bob'), undefined],
    ['an unblock', some.unblock('ada', 'bob'), undefined],
    ['a profile change', some.profileChange('ada'), undefined],
    ['a reading of the inbox', some.inboxRead('ada'), undefined],
    ['a report of a post', some.report('r1', { postId: 'p1' }), undefined],
  ])('records an intent of %s', async (_what, event, postId) => {
    await models.givenWithMetadata(by('i1'), event);
    expect(await lookUp('i1')).toEqual([
      { intentId: 'i1', outcome: 'kept', ...(postId !== undefined && { postId }) },
    ]);
  });

  test('hides the intents of other actors and applications', async () => {
    await models.givenWithMetadata(by('i1', 'bob'), some.post('p1', { authorActorId: 'bob' }));
    await models.givenWithMetadata(by('i2', 'ada', 'other'), some.post('p2'));
    expect(await lookUp('i1', 'i2')).toMatchObject([{ outcome: 'unknown' }, { outcome: 'unknown' }]);
  });

  test('names the first post of an intentId that was used for several resources', async () => {
    await models.givenWithMetadata(by('i1'), some.follow('ada', 'bob'), some.post('p1'), some.deletion('p2'));
    expect(await lookUp('i1')).toEqual([{ intentId: 'i1', outcome: 'kept', postId: 'p1' }]);
  });

  test('records nothing for an event without an intent', async () => {
    await models.given(some.inboxRead('ada'));
    expect(await models.digest()).not.toContain('"intent_id"');
  });
});
