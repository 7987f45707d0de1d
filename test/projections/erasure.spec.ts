import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ownBlocks } from '../../projections/blocks/blocks.read-model.js';
import { inboxOf } from '../../projections/inbox/inbox.read-model.js';
import { postById } from '../../projections/posts/posts.read-model.js';
import { actorById } from '../../projections/profile/profile.read-model.js';
import { registryEntryOf, personalFieldsOf } from '../../src/log/registry.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const MARKER = 'xyzzy';

describe('an erasure', () => {
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
    await models.given(...people, some.application('app'));
  });
  afterEach(() => models.close());

  const people = [some.account('ada', { displayName: MARKER }), some.account('bob'), some.account('cleo')];
  const erasure = some.erasure('ada');
  /** Events that Ada caused or is affected by. */
  const eventsOfAda = [
    some.profileChange('ada', { bio: MARKER, website: `https://${MARKER}.example/` }),
    some.post('p1', { text: MARKER }),
    some.edit('p1', { text: MARKER }),
    some.post('p2', { text: MARKER }),
    some.deletion('p2'),
    some.post('b1', { authorActorId: 'bob', parentId: 'p1', parentAuthorActorId: 'ada', rootId: 'p1' }),
    some.post('a1', { parentId: 'b1', parentAuthorActorId: 'bob', rootId: 'p1', mentions: ['cleo'] }),
    some.follow('ada', 'bob'),
    some.follow('bob', 'ada'),
    some.follow('cleo', 'bob'),
    some.like('ada', 'b1', { targetActorId: 'bob' }),
    some.like('bob', 'p1'),
    some.block('cleo', 'ada'),
    some.block('ada', 'cleo'),
  ] as const;

  const rowsNaming = (table: string, ...columns: string[]) =>
    models.count(table, columns.map((column) => `${column} = 'ada'`).join(' OR '));

  test('leaves no text of the person in any table', async () => {
    await models.given(...eventsOfAda);
    expect(await models.digest()).toContain(MARKER);
    await models.given(erasure);
    expect(await models.digest()).not.toContain(MARKER);
    expect(await models.ask(actorById, { actorId: 'ada' })).toBeNull();
    expect(await models.ask(postById, { postId: 'p1' })).toBeNull();
  });

  test('keeps the replies of others, with an unavailable parent', async () => {
    await models.given(...eventsOfAda, erasure);
    expect(await models.ask(postById, { postId: 'b1' })).toMatchObject({
      parentUnavailable: true,
      rootUnavailable: true,
    });
  });

  test('ends follows in both directions, likes and blocks, and corrects the counts', async () => {
    await models.given(...eventsOfAda, erasure);
    const answers = async () => [
      await models.ask(actorById, { actorId: 'bob' }),
      await models.ask(ownBlocks, undefined, 'cleo'),
    ];
    expect(await answers()).toEqual([expect.objectContaining({ followers: 1, following: 0 }), []]);
    await models.settle();
    expect(await answers()).toEqual([expect.objectContaining({ followers: 1, following: 0 }), []]);
    expect(await rowsNaming('relation', 'actor_id')).toBe(0);
    expect(await rowsNaming('block', 'actor_id', 'target_actor_id')).toBe(0);
  });

  test('removes entries about the person from every inbox', async () => {
    await models.given(...eventsOfAda);
    const before = await models.ask(inboxOf, { scan: 50, after: undefined }, 'bob');
    expect(before?.items.map(({ item }) => item.kind)).toEqual(['like', 'follow', 'follow', 'reply']);
    await models.given(erasure);
    const shown = { items: [{ item: { sourceActorId: 'cleo' } }], unread: 1 };
    expect(await models.ask(inboxOf, { scan: 50, after: undefined }, 'bob')).toMatchObject(shown);
    await models.settle();
    expect(await models.ask(inboxOf, { scan: 50, after: undefined }, 'bob')).toMatchObject(shown);
    expect(await rowsNaming('inbox', 'actor_id', 'source_actor_id')).toBe(0);
  });

  test('also removes events that follow it in the log', async () => {
    await models.given(erasure, ...people, ...eventsOfAda, some.reinstatement('ada'));
    expect(await models.digest()).not.toContain(MARKER);
    expect(await models.ask(actorById, { actorId: 'ada' })).toBeNull();
    expect(await rowsNaming('relation', 'actor_id')).toBe(0);
    expect(await rowsNaming('block', 'actor_id', 'target_actor_id')).toBe(0);
    expect(await models.ask(actorById, { actorId: 'bob' })).toMatchObject({ followers: 1, following: 0 });
  });

  test('has the same result at the beginning, middle and end of a batch', async () => {
    for (const place of [0, 7, eventsOfAda.length]) {
      const other = await ReadModels.open(database);
      await other.given(...people);
      await other.givenInOneBatch(...eventsOfAda.slice(0, place), erasure, ...eventsOfAda.slice(place));
      expect(await other.digest()).not.toContain(MARKER);
      await other.settle();
      expect(await other.count('relation', "actor_id = 'ada'")).toBe(0);
      expect(await other.count('relation', "kind = 'follow'")).toBe(1);
      expect(await other.count('relation_count', 'followers = 1 OR following = 1')).toBe(2);
      await other.close();
    }
  });

  test('is applied for an unknown account', async () => {
    await models.given(some.erasure('dora'), some.account('dora', { displayName: 'plugh' }));
    expect(await models.ask(actorById, { actorId: 'dora' })).toBeNull();
    expect(await models.digest()).not.toContain('plugh');
  });

  test('leaves the same tables as a rebuild without the key', async () => {
    // Timeline rows of a follower may remain: reads skip them.
    const read = eventsOfAda.filter(
      ({ data }) => !('kind' in data && data.actorId === 'bob' && data.kind === 'follow'),
    );
    const digestOf = async (...given: (readonly [StoredEvent, 'readable' | 'erased'])[]) => {
      const each = await ReadModels.open(database);
      for (const [event, state] of given)
        await (state === 'readable' ? each.given(event) : each.givenOfErasedPerson(event));
      await each.settle();
      const digest = await each.digest();
      await each.close();
      return digest;
    };
    const events = [...people, ...read, erasure];
    expect(await digestOf(...events.map((event) => [withPlaceholders(event), isOfAda(event)] as const))).toBe(
      await digestOf(...events.map((event) => [event, 'readable'] as const)),
    );
  });
});

/** Whether the event is readable after the key was destroyed. */
const isOfAda = ({ type, data }: StoredEvent): 'readable' | 'erased' => {
  const person = 'authorActorId' in data ? data.authorActorId : 'actorId' in data ? data.actorId : undefined;
  return person === 'ada' && personalFieldsOf(type).length > 0 ? 'erased' : 'readable';
};

/** The event as the log returns it after that. */
function withPlaceholders(event: StoredEvent): StoredEvent {
  const placeholders = registryEntryOf(event.type)?.personal?.placeholders;
  return isOfAda(event) === 'readable'
    ? event
    : ({ ...event, data: { ...event.data, ...placeholders } } as StoredEvent);
}
