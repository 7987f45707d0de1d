/** What an export of a whole network has, and has not. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import { runPlaza } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { committedRows } from './support/export-bench.js';
import { live, LivelyNetwork } from './support/lively-network.js';

interface Audited {
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly actorId: string | null;
  readonly appId: string | null;
  readonly grantId: string | null;
  readonly intentId: string | null;
  readonly requestId: string;
  readonly subject: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

const names = new Map<string, string>();
let network: TestNetwork;
let lively: LivelyNetwork;
let root: string;
let dir: string;
let audited: readonly Audited[];

beforeAll(async () => {
  network = await startNetwork();
  lively = new LivelyNetwork(network);
  await live(lively);
  root = newDataDir();
  dir = join(root, 'set');
  await plaza('export', dir);
  const { stdout } = await runPlaza(['audit'], network.env);
  audited = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Audited);
  for (const { appId, name } of requireState(dir).applications) names.set(appId, name);
});

afterAll(async () => {
  await network?.stop();
  if (root) rmSync(root, { recursive: true });
});

/** With DATA_DIR alone, so that the address comes from `run.json`. */
async function plaza(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runPlaza(['analytics', ...args], { DATA_DIR: network.dataDir });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const query = async (sql: string): Promise<readonly Json[]> =>
  (await plaza('query', dir, sql))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const weekOf = (at: number) => {
  const day = Math.floor(at / 86_400_000);
  return (day - ((day + 3) % 7)) * 86_400_000;
};

/** Groups in the order in which the query sorts them, with a row for each. */
function counted<Event>(
  events: readonly Event[],
  keyOf: (event: Event) => readonly string[],
  rowOf: (key: readonly string[], of: readonly Event[]) => Json,
): readonly Json[] {
  const groups = Map.groupBy(events, (event) => JSON.stringify(keyOf(event)));
  return [...groups.keys()]
    .toSorted()
    .map((key) => rowOf(JSON.parse(key) as string[], groups.get(key) ?? []));
}

const distinct = (values: readonly unknown[]) => new Set(values).size;
const nameOf = (appId: string | undefined) => names.get(appId ?? '') ?? null;

it('an export has each event that the audit has', async () => {
  expect(await query('SELECT position, type FROM events ORDER BY position')).toEqual(
    audited.map(({ position, type }) => ({ position, type })),
  );
});

describe('each view equals a count of what plaza audit prints:', () => {
  it('daily_active', async () => {
    const acts = audited.filter(({ actorId }) => actorId !== null);
    expect(acts.length).toBeGreaterThan(10);
    expect(await query('SELECT day, actors FROM daily_active ORDER BY day')).toEqual(
      counted(
        acts,
        ({ at }) => [dayOf(at)],
        ([day], of) => ({ day, actors: distinct(of.map(({ actorId }) => actorId)) }),
      ),
    );
  });

  it('retention', async () => {
    const weeks = [...new Set(audited.filter(({ actorId }) => actorId).map(({ at }) => weekOf(at)))].toSorted(
      (a, b) => a - b,
    );
    const registered = audited.filter(({ type }) => type === 'account.registered');
    const expected = counted(
      registered,
      ({ at }) => [String(weekOf(at))],
      ([cohort], people) => ({
        cohort: Number(cohort),
        people: people.map(({ subject }) => subject['actorId']),
      }),
    ).flatMap(({ cohort, people }) =>
      weeks
        .filter((week) => week >= Number(cohort))
        .map((week) => {
          const acting = new Set(
            audited.filter(({ at }) => weekOf(at) === week).map(({ actorId }) => actorId),
          );
          const members = people as string[];
          const active = members.filter((actorId) => acting.has(actorId)).length;
          return {
            cohort: dayOf(Number(cohort)),
            weeks_later: (week - Number(cohort)) / (7 * 86_400_000),
            people: members.length,
            active,
            share: active / members.length,
          };
        }),
    );
    expect(expected[0]).toMatchObject({ people: 4, active: 4 });
    expect(await query('SELECT * FROM retention ORDER BY cohort, weeks_later')).toEqual(expected);
  });

  it('posts_per_app', async () => {
    const posts = audited.filter(({ type }) => type === 'post.created');
    expect(posts).toHaveLength(4);
    expect(await query('SELECT * FROM posts_per_app ORDER BY day, app_id')).toEqual(
      counted(
        posts,
        ({ at, subject }) => [dayOf(at), subject['appId'] ?? ''],
        ([day, appId], of) => ({
          day,
          app_id: appId,
          app: nameOf(appId),
          posts: of.length,
          authors: distinct(of.map(({ subject }) => subject['authorActorId'])),
        }),
      ),
    );
  });

  it('grant_churn', async () => {
    const grants = audited.filter(({ type }) => ['grant.issued', 'grant.revoked'].includes(type));
    const active = new Map<string, number>();
    const expected = counted(
      grants,
      ({ at, subject }) => [dayOf(at), subject['appId'] ?? ''],
      ([day, appId = ''], of) => {
        const issued = of.filter(({ type }) => type === 'grant.issued').length;
        const revoked = of.length - issued;
        const before = active.get(appId) ?? 0;
        active.set(appId, before + issued - revoked);
        const churn = before === 0 ? null : revoked / before;
        return {
          day,
          app_id: appId,
          app: nameOf(appId),
          issued,
          revoked,
          active: before + issued - revoked,
          churn,
        };
      },
    );
    expect(expected.some(({ revoked }) => Number(revoked) > 0)).toBe(true);
    expect(await query('SELECT * FROM grant_churn ORDER BY day, app_id')).toEqual(expected);
  });

  it('app_impact', async () => {
    const through = audited.filter(({ appId }) => appId !== null);
    const expected = counted(
      through,
      ({ at, appId, type }) => [appId ?? '', new Date(at).toISOString().slice(0, 13), type],
      ([appId, hour, type], of) => ({
        app_id: appId,
        app: nameOf(appId),
        hour,
        type,
        events: of.length,
        actors: distinct(of.flatMap(({ actorId }) => actorId ?? [])),
      }),
    );
    expect(distinct(expected.map(({ app }) => app))).toBe(2);
    expect(
      await query(
        "SELECT * REPLACE (strftime(hour, '%Y-%m-%dT%H') AS hour) FROM app_impact ORDER BY app_id, hour, type",
      ),
    ).toEqual(expected);
  });

  it('the view of each type', async () => {
    const types = [...new Set(audited.map(({ type }) => type))].toSorted();
    expect(types.length).toBeGreaterThan(10);
    const counts = types.map(
      (type) => `SELECT '${type}' AS type, count(*) AS events FROM ${type.replaceAll('.', '_')}`,
    );
    expect(await query(`${counts.join(' UNION ALL ')} ORDER BY type`)).toEqual(
      types.map((type) => ({ type, events: audited.filter((event) => event.type === type).length })),
    );
  });
});

describe('privacy', () => {
  it.each(['none', 'encrypted'])(
    'no column of an export with --personal %s has a text, name, address, mention, intent or reason',
    async (personal) => {
      const target = join(root, `columns-${personal}`);
      await plaza('export', target, '--personal', personal);
      const views = await openViews(target);
      try {
        const columns = await views.query('DESCRIBE events', (result) => result.getRowObjectsJson());
        expect(columns.length).toBeGreaterThan(25);
        for (const { column_name: column } of columns) {
          const values = await views.query(
            `SELECT DISTINCT CAST("${column as string}" AS VARCHAR) AS value FROM events`,
            (result) => result.getColumnsJson(),
          );
          expect(found(Buffer.from(JSON.stringify(values)))).toEqual([]);
        }
        const known = await views.query('SELECT DISTINCT by_app_id FROM events', (result) =>
          result.getRowsJson(),
        );
        expect(known.flat()).toEqual(expect.arrayContaining([...names.keys()]));
      } finally {
        views.close();
      }
      expect(found(readFileSync(join(target, 'applications.json')))).toEqual([]);
      const rows = await committedRows(target);
      const ciphertexts = rows.filter((row) => row['personal'] !== undefined);
      expect(ciphertexts.length > 0).toBe(personal === 'encrypted');
    },
  );

  it.each(['none', 'encrypted'])(
    'no byte of an uncompressed export with --personal %s is of such a text',
    async (personal) => {
      const target = join(root, `bytes-${personal}`);
      await plaza('export', target, '--personal', personal, '--compression', 'none');
      const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
      expect(found(bytes)).toEqual([]);
      // The search finds what is exported in clear.
      const [first] = await committedRows(target);
      for (const clear of [String(first?.['event_id']), ...names.keys(), 'relation.established'])
        expect(bytes.includes(clear)).toBe(true);
    },
  );

  /** The secrets in these bytes, whatever the case of their letters. */
  function found(bytes: Buffer): readonly string[] {
    const secrets = new Set(lively.secrets);
    for (const { subject, actorId, grantId, intentId, requestId } of audited) {
      const { appId: _app, networkId: _network, ...ids } = subject;
      for (const id of Object.values({ ...ids, actorId, grantId, intentId, requestId }))
        if (id !== null) secrets.add(id);
    }
    expect(secrets.size).toBeGreaterThan(60);
    const text = bytes.toString('latin1').toLowerCase();
    return [...secrets].filter((secret) => text.includes(secret.toLowerCase()));
  }
});
