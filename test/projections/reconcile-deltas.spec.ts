import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { reconcileWithin } from '../../projections/reconcile/reconcile.read-model.js';
import type { View } from '../../projections/reconcile/reconcile.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';
import { actors, histories, SocialHistory } from './support/social-history.js';

type Lists = Pick<View, 'posts' | 'ownPosts' | 'relations' | 'inbox'>;
type Item = Lists[keyof Lists][number];

const reply = (postId: string, parentId: string, authorActorId = 'eve') =>
  some.post(postId, { authorActorId, parentId, rootId: 'p1', parentAuthorActorId: 'ada' });

const lists = ['posts', 'ownPosts', 'relations', 'inbox'] as const;
const identityOf = (item: Item) => ('id' in item ? item.id : `${item.kind} ${item.targetId}`);
const byIdentity = (items: readonly Item[]) => new Map(items.map((item) => [identityOf(item), item]));

/** The view of an application: replaced by a whole view, or updated by identity from a delta. */
class Client {
  private cursor: number | undefined;
  readonly held = new Map<keyof Lists, ReadonlyMap<string, Item>>();

  constructor(
    private readonly actorId: string | null,
    private readonly query: ReturnType<typeof reconcileWithin>,
  ) {}

  async reconcile(models: ReadModels): Promise<void> {
    const view = await models.ask(this.query, { cursor: this.cursor }, this.actorId);
    for (const list of lists) {
      const before = view.replace ? [] : (this.held.get(list) ?? []);
      this.held.set(list, new Map([...before, ...byIdentity(view[list])]));
    }
    this.cursor = view.cursor;
  }

  /** Items that the client lacks or holds in an old form, and items that it must not hold. */
  async faults(models: ReadModels): Promise<readonly object[]> {
    const whole = await models.ask(this.query, { cursor: undefined }, this.actorId);
    const visible = await models.ask(everything, { cursor: undefined }, this.actorId);
    return lists.flatMap((list) => {
      const held = this.held.get(list) ?? new Map<string, Item>();
      const mayBeHeld = byIdentity(visible[list]);
      const lacking = whole[list].filter((item) => !isDeepStrictEqual(held.get(identityOf(item)), item));
      const wrong = [...held].filter(([id, item]) => !isDeepStrictEqual(mayBeHeld.get(id), item));
      return lacking
        .map((item): object => ({ list, lacks: item }))
        .concat(wrong.map(([, item]) => ({ list, wrong: item })));
    });
  }
}

const published = { posts: 100, relations: 1_000, entries: 100 };
const everything = reconcileWithin({ posts: 10_000, relations: 10_000, entries: 10_000 });

describe('a client that applies deltas', () => {
  let postgres: TestPostgres;
  let database: string;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());

  test.each([
    [
      'a post that a followed actor replied to',
      [some.post('p1'), some.follow('bob', 'eve'), reply('r1', 'p1')],
    ],
    [
      'the root of a thread in which a followed actor replied',
      [some.post('p1'), reply('r1', 'p1', 'zoe'), some.follow('bob', 'eve'), reply('r2', 'r1')],
    ],
    ['a post that the caller likes', [some.post('p1'), some.like('bob')]],
    ['a post that mentions the caller', [some.post('p1', { mentions: ['bob'] })]],
    [
      'a reply to the caller',
      [
        some.post('p0', { authorActorId: 'bob' }),
        some.post('p1', { parentId: 'p0', rootId: 'p0', parentAuthorActorId: 'bob' }),
      ],
    ],
    ['a post of a followed actor', [some.follow('bob', 'ada'), some.post('p1')]],
  ])('gets the whole view when somebody deletes %s', async (_what, events) => {
    const models = await ReadModels.open(database);
    const query = reconcileWithin(published);
    const deletionOf = async (postId: string, authorActorId: string) => {
      const { cursor } = await models.ask(query, { cursor: undefined }, 'bob');
      await models.given(some.deletion(postId, { authorActorId }));
      return models.ask(query, { cursor }, 'bob');
    };
    await models.given(some.application('app'), ...events, some.post('q1', { authorActorId: 'zoe' }));
    expect((await deletionOf('q1', 'zoe')).replace).toBe(false);
    expect((await deletionOf('p1', 'ada')).replace).toBe(true);
    await models.close();
  });

  test('gets the whole view after more deletions than are compared', async () => {
    const models = await ReadModels.open(database);
    const query = reconcileWithin(published);
    const others = Array.from({ length: 501 }, (_, index) => `q${index}`);
    await models.given(some.application('app'), some.post('p1'), some.like('bob'));
    await models.givenInOneBatch(...others.map((postId) => some.post(postId, { authorActorId: 'zoe' })));
    const { cursor } = await models.ask(query, { cursor: undefined }, 'bob');
    const deletions = others.map((postId) => some.deletion(postId, { authorActorId: 'zoe' }));
    await models.givenInOneBatch(...deletions.slice(1));
    expect((await models.ask(query, { cursor }, 'bob')).replace).toBe(false);
    await models.givenInOneBatch(...deletions.slice(0, 1), some.deletion('p1', { authorActorId: 'ada' }));
    expect(await models.ask(query, { cursor }, 'bob')).toMatchObject({ replace: true, relations: [] });
    await models.close();
  });

  test.each([
    ['posts', (n: number) => some.post(`n${n}`)],
    ['relations', (n: number) => some.like('bob', `z${n}`, { targetActorId: 'zoe' })],
    ['inbox', (n: number) => some.post(`n${n}`, { authorActorId: 'zoe', mentions: ['bob'] })],
  ] as const)(
    'gets the whole view after more changes than the view holds of its %s',
    async (list, change) => {
      const models = await ReadModels.open(database);
      const query = reconcileWithin({ posts: 3, relations: 3, entries: 3 });
      const earlier = [1, 2, 3, 4].map((n) => some.post(`z${n}`, { authorActorId: 'zoe' }));
      await models.given(some.application('app'), some.follow('bob', 'ada'), ...earlier);
      const { cursor } = await models.ask(query, { cursor: undefined }, 'bob');
      await models.given(change(1), change(2), change(3));
      const delta = await models.ask(query, { cursor }, 'bob');
      expect([delta.replace, delta[list].length]).toEqual([false, 3]);
      await models.given(change(4));
      expect((await models.ask(query, { cursor }, 'bob')).replace).toBe(true);
      await models.close();
    },
  );

  test.each([
    ['that hold everything', published],
    ['that hold few items', { posts: 3, relations: 3, entries: 3 }],
  ])('has the right view after any history, from any earlier cursor, with views %s', async (_of, size) => {
    const query = reconcileWithin(size);
    const property = fc.asyncProperty(histories, fc.infiniteStream(fc.boolean()), async (history, looks) => {
      const models = await ReadModels.open(database);
      try {
        await models.givenInOneBatch(
          some.application('app'),
          ...actors.map((actorId) => some.account(actorId)),
        );
        const clients = [...actors, null].map((actorId) => new Client(actorId, query));
        const social = new SocialHistory();
        for (const acts of history) {
          await models.givenInOneBatch(...acts.flatMap((act) => social.eventsOf(act)));
          for (const client of clients) {
            if (!looks.next().value) continue;
            await client.reconcile(models);
            expect(await client.faults(models)).toEqual([]);
          }
        }
      } finally {
        await models.close();
      }
    });
    await fc.assert(property, { numRuns: 8, endOnFailure: true });
  });
});
