import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ownBlocks } from '../../projections/blocks/blocks.read-model.js';
import { postById } from '../../projections/posts/posts.read-model.js';
import { actorById } from '../../projections/profile/profile.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

describe('the blocks read model', () => {
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
    await models.given(...['ada', 'bob', 'cleo'].map((actorId) => some.account(actorId)));
  });
  afterEach(() => models.close());

  const blocksOf = (actorId: string) => models.ask(ownBlocks, undefined, actorId);

  test('shows callers whom they block, newest first, and not who blocks them', async () => {
    await models.given(some.block('ada', 'bob'), some.block('ada', 'cleo'), some.block('bob', 'ada'));
    expect(await blocksOf('ada')).toEqual(['cleo', 'bob']);
    expect(await blocksOf('cleo')).toEqual([]);
  });

  test('still lists a suspended actor, so that the block can be ended', async () => {
    await models.given(some.block('ada', 'bob'), some.suspension('bob'));
    expect(await blocksOf('ada')).toEqual(['bob']);
  });

  test('removes an ended block, and lists a repeated one as the newest', async () => {
    await models.given(some.block('ada', 'bob'), some.block('ada', 'cleo'), some.unblock('ada', 'bob'));
    expect(await blocksOf('ada')).toEqual(['cleo']);
    await models.given(some.block('ada', 'bob'));
    expect(await blocksOf('ada')).toEqual(['bob', 'cleo']);
  });

  test('hides two actors from each other until the last block between them ends', async () => {
    await models.given(some.application('app'), some.post('p1'), some.post('q1', { authorActorId: 'bob' }));
    const visibleTo = async (reader: string, [actorId, postId]: readonly [string, string]) => [
      (await models.ask(actorById, { actorId }, reader)) !== null,
      (await models.ask(postById, { postId }, reader)) !== null,
    ];
    const mutualVisibility = async () => [
      ...(await visibleTo('ada', ['bob', 'q1'])),
      ...(await visibleTo('bob', ['ada', 'p1'])),
    ];
    const [all, nothing] = [Array(4).fill(true), Array(4).fill(false)];
    expect(await mutualVisibility()).toEqual(all);
    await models.given(some.block('ada', 'bob'));
    expect(await mutualVisibility()).toEqual(nothing);
    await models.given(some.block('bob', 'ada'), some.unblock('ada', 'bob'));
    expect(await mutualVisibility()).toEqual(nothing);
    await models.given(some.unblock('bob', 'ada'));
    expect(await mutualVisibility()).toEqual(all);
  });

  test.each([
    ['a block and its end', [some.block('ada', 'bob'), some.unblock('ada', 'bob')], []],
    ['the end of a block and a new one', [some.unblock('ada', 'bob'), some.block('ada', 'bob')], ['bob']],
  ])('gives the same result for one batch as for single events: %s', async (_name, events, blocked) => {
    await models.givenInOneBatch(...events);
    expect(await blocksOf('ada')).toEqual(blocked);
  });
});
