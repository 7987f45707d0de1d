import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { actorById, ownProfile } from '../../projections/profile/profile.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

describe('the profile read model', () => {
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

  test('shows an actor to everybody from the moment of registration', async () => {
    await models.given(some.account('ada', { handle: 'ada_l', displayName: 'Ada "L" ☕', at: 42 }));
    expect(await models.ask(actorById, { actorId: 'ada' })).toEqual({
      actorId: 'ada',
      handle: 'ada_l',
      displayName: 'Ada "L" ☕',
      bio: '',
      website: '',
      createdAt: 42,
      followers: 0,
      following: 0,
      posts: 0,
    });
  });

  test('shows callers their own profile, with the revision to edit it by', async () => {
    await models.given(some.account('ada', { handle: 'ada_l', displayName: 'Ada' }), some.account('bob'));
    expect(await models.ask(ownProfile, undefined, 'ada')).toEqual({
      actorId: 'ada',
      handle: 'ada_l',
      displayName: 'Ada',
      bio: '',
      website: '',
      revision: 1,
    });
  });

  test('shows a profile as it was changed last, in whatever order the changes come', async () => {
    await models.given(
      some.account('ada'),
      some.profileChange('ada', {
        handle: null,
        displayName: 'Ada L.',
        bio: 'a\nb',
        website: '',
        revision: 3,
      }),
      some.profileChange('ada', { handle: 'older', revision: 2 }),
    );
    const changed = { actorId: 'ada', handle: null, displayName: 'Ada L.', bio: 'a\nb', website: '' };
    expect(await models.ask(ownProfile, undefined, 'ada')).toEqual({ ...changed, revision: 3 });
    expect(await models.ask(actorById, { actorId: 'ada' })).toMatchObject({ ...changed, createdAt: 1_000 });
  });

  test('leaves alone who is not there, and who is erased', async () => {
    await models.given(some.account('ada'), some.profileChange('bob'));
    await models.givenErased(
      some.profileChange('ada', { handle: null, displayName: '', bio: '', website: '' }),
    );
    expect(await models.ask(actorById, { actorId: 'bob' })).toBeNull();
    expect(await models.ask(ownProfile, undefined, 'ada')).toMatchObject({
      handle: 'ada_handle',
      revision: 1,
    });
  });

  test('has nobody for an unknown actor, nor for a caller whom it does not know', async () => {
    await models.given(some.account('ada'));
    expect(await models.ask(actorById, { actorId: 'bob' })).toBeNull();
    expect(await models.ask(ownProfile, undefined, 'bob')).toBeNull();
    expect(await models.ask(ownProfile, undefined, null)).toBeNull();
  });

  test('has nobody for a person whose key is destroyed', async () => {
    await models.givenErased(some.account('ada', { handle: '', displayName: '', email: '' }));
    expect(await models.ask(actorById, { actorId: 'ada' })).toBeNull();
  });

  test('counts published posts and replies, each once, and no deleted ones', async () => {
    await models.given(
      some.account('ada'),
      some.post('p1'),
      some.post('p2', { parentId: 'p1', rootId: 'p1' }),
      some.post('p3'),
      some.post('q1', { authorActorId: 'bob' }),
      some.deletion('p3'),
    );
    expect(await models.ask(actorById, { actorId: 'ada' })).toMatchObject({ posts: 2 });
  });
});
