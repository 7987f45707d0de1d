import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readFeed } from '../../projections/feed/feed.read-model.js';
import { inboxOf, unreadCountOf } from '../../projections/inbox/inbox.read-model.js';
import { postById, postsOf, repliesOf } from '../../projections/posts/posts.read-model.js';
import { actorById, actorsByHandle, actorsByIds } from '../../projections/profile/profile.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { followersOf, followingOf, ownRelations } from '../../projections/relations/relations.read-model.js';
import type { ReadQuery } from '../../projections/runner/read-query.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import { hiddenBy, restrictionTypes } from '../../src/log/restrictions.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { oneOfEach, ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const PEOPLE = ['ada', 'bob', 'cleo'];
const POSTS = ['p1', 'p2', 'q1', 'q2'];
const page = { scan: 50, after: undefined };

const questions: [ReadQuery<never, unknown>, object | undefined][] = [
  ...PEOPLE.flatMap((actorId): [ReadQuery<never, unknown>, object][] => [
    [actorById, { actorId }],
    [postsOf, { actorId, ...page }],
    [followersOf, { actorId, ...page }],
    [followingOf, { actorId, ...page }],
  ]),
  ...POSTS.flatMap((postId): [ReadQuery<never, unknown>, object][] => [
    [postById, { postId }],
    [repliesOf, { postId, ...page }],
  ]),
  ...['ada_new', 'bob_handle'].map((handle): [ReadQuery<never, unknown>, object] => [
    actorsByHandle,
    { handle },
  ]),
  [actorsByIds, { actorIds: PEOPLE }],
  [timelineOf, page],
  [inboxOf, page],
  [unreadCountOf, undefined],
  [ownRelations, page],
  [reconcile, { cursor: undefined }],
];

/** Fields about whole tables or progress, which no restriction changes at once. */
const UNSHOWN = new Set(['followers', 'following', 'cursor', 'asOf', 'key']);

const kinds: readonly (readonly [string, RestrictionEvent, readonly (string | null)[]])[] = [
  ['a deletion', some.deletion('p1'), [...PEOPLE, null]],
  ['a restriction', some.restriction('p1'), [...PEOPLE, null]],
  ['a block', some.block('ada', 'bob'), [...PEOPLE, null]],
  ['a block in the other direction', some.block('bob', 'ada'), [...PEOPLE, null]],
  ['a suspension', some.suspension('ada'), ['bob', 'cleo', null]],
  ['an erasure', some.erasure('ada'), ['bob', 'cleo', null]],
];

describe('an outstanding restriction', () => {
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
    await models.given(
      some.application('app'),
      ...PEOPLE.map((actorId) => some.account(actorId)),
      some.follow('bob', 'ada'),
      some.follow('cleo', 'bob'),
      some.follow('ada', 'bob'),
      some.post('p1', { mentions: ['cleo'] }),
      some.post('q1', { authorActorId: 'bob', parentId: 'p1', parentAuthorActorId: 'ada', rootId: 'p1' }),
      some.post('p2', { parentId: 'q1', parentAuthorActorId: 'bob', rootId: 'p1' }),
      some.post('q2', { authorActorId: 'bob', mentions: ['ada'] }),
      some.like('bob', 'p1'),
      some.like('ada', 'q1', { targetActorId: 'bob' }),
      some.profileChange('ada'),
    );
  });
  afterEach(() => models.close());

  async function answersTo(reader: string | null): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const [query, args] of questions) {
      const answer = await models.ask(query, args as never, reader);
      const shown = JSON.stringify(answer, (name, value: unknown) => {
        if (UNSHOWN.has(name) || (name === 'posts' && typeof value === 'number')) return undefined;
        return typeof value === 'bigint' ? String(value) : value;
      });
      answers.push(`${query.name} ${JSON.stringify(args)} ${shown}`);
    }
    return answers;
  }

  test.each(kinds)('has the same effect on every read as an applied one: %s', async (_, event, readers) => {
    const all = async () => {
      const answers: (readonly string[])[] = [];
      for (const reader of readers) answers.push(await answersTo(reader));
      return answers;
    };
    const before = await all();
    await models.addOutstanding(event);
    const held = await all();
    expect(held).not.toEqual(before);
    await models.given(event);
    expect(held).toEqual(await all());
  });

  test.each(kinds)('hides its subject from the feed: %s', async (_, event) => {
    const visibleInFeed = async () => {
      const { events } = await models.ask(readFeed, { cursor: 0, limit: 50 }, 'bob');
      const text = JSON.stringify(events);
      return { post: text.includes('"id":"p1"'), profile: text.includes('"bio":"a bio"') };
    };
    expect(await visibleInFeed()).toEqual({ post: true, profile: true });
    await models.addOutstanding(event);
    expect(await visibleInFeed()).toEqual({ post: false, profile: 'postId' in event.data });
  });

  test.each(kinds)('replaces the view of a caller who reconciles: %s', async (_, event) => {
    const { cursor } = await models.ask(reconcile, { cursor: undefined }, 'bob');
    await models.addOutstanding(event);
    const { replace, posts } = await models.ask(reconcile, { cursor }, 'bob');
    expect([replace, posts.some(({ id }) => id === 'p1')]).toEqual([true, false]);
  });

  test('has no effect once it is applied, even after it was lifted', async () => {
    const before = await answersTo('bob');
    const restrictions = [some.block('ada', 'bob'), some.suspension('ada'), some.restriction('p1')];
    for (const event of restrictions) await models.givenWithMetadata({ witnessEpoch: 1 }, event);
    await models.given(some.unblock('ada', 'bob'), some.reinstatement('ada'), some.unrestriction('p1'));
    await models.addOutstanding(...restrictions);
    expect(await answersTo('bob')).not.toEqual(before);
    await models.markOutstandingAsApplied();
    expect(await answersTo('bob')).toEqual(before);
  });

  test('hides a subject only for types that hide something', () => {
    const events = [...oneOfEach(some).values()] as RestrictionEvent[];
    const named = Object.fromEntries(
      restrictionTypes.map((type) => [type, hiddenBy(events.find((event) => event.type === type)!)]),
    );
    expect(named).toEqual({
      'account.suspended': 'actor:x1',
      'account.reinstated': undefined,
      'account.erased': 'actor:x1',
      'application.suspended': undefined,
      'application.reinstated': undefined,
      'grant.revoked': undefined,
      'post.deleted': 'post:x1',
      'post.restricted': 'post:x1',
      'post.unrestricted': undefined,
      'block.established': 'pair:ada.x1',
      'block.ended': undefined,
      'operator.suspended': undefined,
      'operator.reinstated': undefined,
      'operator.roles_changed': undefined,
      'operator.token_revoked': undefined,
      'operator.passkey_removed': undefined,
      'network.shared_token_limited': undefined,
      'operator.four_eyes_required': undefined,
      'operator.four_eyes_lifted': undefined,
    });
  });
});
