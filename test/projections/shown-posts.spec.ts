import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { serving } from '../../projections/groups.js';
import { publishIncarnation } from '../../projections/incarnations/incarnation.js';
import type { Incarnation } from '../../projections/incarnations/incarnation.js';
import { versionsOf } from '../../projections/runner/projection.js';
import { openPlannedOnce } from '../../src/base/store/postgres.js';
import { PublicationCache } from '../../src/doors/api/admission/publication.js';
import { PublishedPosts } from '../../src/doors/api/admission/published-posts.js';
import { PublishedStatements } from '../../src/doors/api/admission/published-statements.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { Builds } from './support/builds.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';

let postgres: TestPostgres;
let builds: Builds;
let pool: Pool;
let shown: PublishedPosts;
/** Both show a post of Ada, a reply of Bob, and a post of Cleo, whom Ada blocks. Only one is published. */
let incarnations: [Incarnation, Incarnation];

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createReadStore();
  builds = Builds.open(databaseUrl);
  pool = openPlannedOnce({
    url: databaseUrl,
    applicationName: 'test',
    maxConnections: 2,
    queryTimeoutMs: 60_000,
  });
  const log = new MemoryLog();
  log.add(some.application('app'), ...['ada', 'bob', 'cleo'].map((actorId) => some.account(actorId)));
  log.add(
    some.post('p1'),
    some.post('q1', { authorActorId: 'bob', parentId: 'p1', parentAuthorActorId: 'ada', rootId: 'p1' }),
    some.post('r1', { authorActorId: 'cleo' }),
    some.block('ada', 'cleo'),
  );
  incarnations = [await builds.begin(), await builds.begin()];
  for (const incarnation of incarnations) await builds.build(log, incarnation);
  shown = openShown();
});

afterAll(async () => {
  await pool?.end();
  await builds?.close();
  await postgres?.stop();
});

beforeEach(async () => {
  await publish(0);
  // The process knows the publication from here on.
  assert.ok(await shown.find('bob', 'p1'));
});

afterEach(() =>
  builds.pool.query('DELETE FROM recovery.publication; DELETE FROM recovery.outstanding_restriction'),
);

const openShown = (versions = versionsOf(serving)) =>
  new PublishedPosts(new PublishedStatements(pool, new PublicationCache(pool, versions)));

/** Publishes one of the two, under a new name as each rollback does. */
async function publish(which: 0 | 1, instead?: 0 | 1): Promise<void> {
  const { incarnation, schemaName } = incarnations[which];
  const as = randomUUID();
  const replaced = instead === undefined ? undefined : incarnations[instead].incarnation;
  const client = await builds.pool.connect();
  try {
    const published = { incarnation, as, instead: replaced, networkId: 'n', now: 0 };
    expect(await publishIncarnation(client, published)).toBe('published');
    incarnations[which] = { incarnation: as, schemaName };
  } finally {
    client.release();
  }
}

/** Runs `before` before each look-up of posts until the returned function is called. */
function interceptLookUps(before: () => Promise<void>): () => void {
  const query = pool.query.bind(pool) as (statement: { name?: string }) => Promise<unknown>;
  const intercepting: typeof query = async (statement) => {
    if (statement.name) await before();
    return query(statement);
  };
  pool.query = intercepting as Pool['query'];
  return () => Reflect.deleteProperty(pool, 'query');
}

const hold = (...subjects: string[]) =>
  builds.pool.query(
    `INSERT INTO recovery.outstanding_restriction
    SELECT gen_random_uuid(), 0, 1, subject FROM unnest($1::text[]) subject`,
    [subjects],
  );

it('finds for each caller what that caller asked for, in one statement', async () => {
  const asked = [
    ['ada', 'q1'],
    ['bob', 'none'],
    ['bob', 'p1'],
    ['ada', 'r1'],
    ['bob', 'r1'],
    ['nobody', 'p1'],
    ['ada', 'q1'],
  ] as const;
  let statements = 0;
  const restore = interceptLookUps(() => Promise.resolve(void (statements += 1)));
  const found = await Promise.all(asked.map(([actorId, postId]) => shown.find(actorId, postId)));
  restore();
  const reply = { id: 'q1', authorActorId: 'bob', rootId: 'p1' };
  const post = { id: 'p1', authorActorId: 'ada', rootId: 'p1' };
  const other = { id: 'r1', authorActorId: 'cleo', rootId: 'r1' };
  expect(found).toEqual([reply, undefined, post, undefined, other, post, reply]);
  expect(statements).toBe(1);
});

describe('finds nothing', () => {
  it('while the network is in quarantine', async () => {
    await builds.pool.query(`UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`);
    expect(await shown.find('bob', 'p1')).toBeUndefined();
  });

  it('while nothing is published', async () => {
    await builds.pool.query('DELETE FROM recovery.publication');
    expect([await shown.find('bob', 'p1'), await openShown().find('bob', 'p1')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('while the published read models are of another release', async () => {
    const { posts = 0, ...others } = versionsOf(serving);
    expect(await openShown({ ...others, posts: posts + 1 }).find('bob', 'p1')).toBeUndefined();
  });

  it('while an outstanding restriction has a subject of an unknown kind', async () => {
    await hold('thing:x');
    expect(await shown.find('bob', 'p1')).toBeUndefined();
  });

  it.each(['post:p1', 'actor:ada', 'pair:ada.bob'])(
    'that an outstanding restriction hides: %s',
    async (subject) => {
      await hold(subject);
      expect(await shown.find('bob', 'p1')).toBeUndefined();
    },
  );

  it('that a thousand outstanding restrictions hide, and everything else', async () => {
    await hold('post:p1', ...Array.from({ length: 999 }, (_, n) => `post:${n}`));
    const found = await Promise.all(['p1', 'r1'].map((postId) => shown.find('bob', postId)));
    expect(found.map((post) => post?.id)).toEqual([undefined, 'r1']);
  });

  it('whose publication changes before each of two statements', async () => {
    let statements = 0;
    const restore = interceptLookUps(() => ((statements += 1) === 1 ? publish(1, 0) : publish(0, 1)));
    expect(await shown.find('bob', 'p1')).toBeUndefined();
    restore();
    expect(statements).toBe(2);
    expect(await shown.find('bob', 'p1')).toMatchObject({ id: 'p1' });
  });
});

it('finds a post throughout a publication and its rollback', async () => {
  await publish(1, 0);
  expect(await shown.find('bob', 'p1')).toMatchObject({ id: 'p1' });
  await publish(0, 1);
  expect(await shown.find('bob', 'p1')).toMatchObject({ id: 'p1' });
});
