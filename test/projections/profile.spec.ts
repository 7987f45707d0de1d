import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  actorById,
  actorsByHandle,
  actorsByIds,
  ownProfile,
} from '../../projections/profile/profile.read-model.js';
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

  test('shows a registered actor to everybody', async () => {
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

  test('shows callers their own profile, with its revision', async () => {
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

  test('shows the newest change, in whatever order changes arrive', async () => {
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

  test('ignores changes of unknown and of erased people', async () => {
    await models.given(some.account('ada'), some.profileChange('bob'));
    await models.givenOfErasedPerson(
      some.profileChange('ada', { handle: null, displayName: '', bio: '', website: '' }),
    );
    expect(await models.ask(actorById, { actorId: 'bob' })).toBeNull();
    expect(await models.ask(ownProfile, undefined, 'ada')).toMatchObject({
      handle: 'ada_handle',
      revision: 1,
    });
  });

  test('is null for an unknown actor and an unknown caller', async () => {
    await models.given(some.account('ada'));
    expect(await models.ask(actorById, { actorId: 'bob' })).toBeNull();
    expect(await models.ask(ownProfile, undefined, 'bob')).toBeNull();
    expect(await models.ask(ownProfile, undefined, null)).toBeNull();
  });

  test('is null for an erased person', async () => {
    await models.givenOfErasedPerson(some.account('ada', { handle: '', displayName: '', email: '' }));
    expect(await models.ask(actorById, { actorId: 'ada' })).toBeNull();
  });

  test('finds actors by ids in their order, and by the handle that each shows now', async () => {
    const people = ['ada', 'bob', 'cleo', 'dora', 'eve'];
    await models.given(
      ...people.map((actorId) => some.account(actorId)),
      some.profileChange('ada', { handle: null }),
      some.profileChange('bob', { handle: 'ada_handle' }),
      some.suspension('cleo'),
      some.erasure('dora'),
      some.block('eve', 'bob'),
    );
    const idsOf = (found: readonly { readonly actorId: string }[]) => found.map(({ actorId }) => actorId);
    const byIds = async (as?: string) =>
      idsOf(await models.ask(actorsByIds, { actorIds: ['eve', 'nobody', ...people.slice(0, 4)] }, as));
    expect([await byIds(), await byIds('bob'), await byIds('eve')]).toEqual([
      ['eve', 'ada', 'bob'],
      ['ada', 'bob'],
      ['eve', 'ada'],
    ]);
    const byHandle = async (handle: string, as?: string) =>
      idsOf(await models.ask(actorsByHandle, { handle }, as));
    const hidden = ['bob_handle', 'cleo_handle', 'dora_handle', 'eve', ''];
    for (const handle of hidden) expect([handle, await byHandle(handle)]).toEqual([handle, []]);
    expect([await byHandle('ada_handle'), await byHandle('ada_handle', 'eve')]).toEqual([['bob'], []]);
    const [eve] = await models.ask(actorsByHandle, { handle: 'eve_handle' });
    expect(eve).toEqual(await models.ask(actorById, { actorId: 'eve' }));
  });

  test('counts published posts and replies once each, and no deleted ones', async () => {
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
