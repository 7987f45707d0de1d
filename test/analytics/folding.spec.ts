/** Events that a data set leaves out are folded into rows of people, exactly once. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { pseudonymOf } from '../../src/analytics/columns/rows.js';
import { readState, requireState } from '../../src/analytics/data-set/commits.js';
import { DataSet, readKey } from '../../src/analytics/data-set/data-set.js';
import type { FoldedPerson } from '../../src/analytics/data-set/folded-people.js';
import { readPeople } from '../../src/analytics/data-set/people-file.js';
import { peopleFileOf } from '../../src/analytics/data-set/state.js';
import { rewind } from '../../src/analytics/export/rewind.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import { steps } from '../../src/analytics/data-set/steps.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { newId } from '../log/support/log-bench.js';
import { sampleOf } from '../support/sample.js';
import { DAY_MS, ExportBench, FIRST_DAY, positionsOf, runKilled } from './support/export-bench.js';
import type { KillPoint } from './support/killed-export.js';

let bench: ExportBench;
let dir: string;

beforeAll(async () => {
  bench = await ExportBench.open();
});

afterAll(() => bench?.close());

beforeEach(() => {
  dir = bench.newDir();
});

const at = (day: number) => FIRST_DAY + day * DAY_MS;
const since = '2026-01-03';

async function append(event: StoredEvent): Promise<void> {
  await bench.append(`post-${newId()}`, event);
}

const reply = (day: number, parentAuthorActorId: string) =>
  append({
    type: 'post.created',
    data: {
      postId: newId(),
      authorActorId: 'author',
      appId: 'app',
      text: 'a reply',
      mentions: [],
      parentId: 'parent',
      parentAuthorActorId,
      rootId: 'parent',
      audience: 'public',
      at: at(day),
    },
  });

async function register(actorId: string, day: number): Promise<void> {
  const name = { handle: actorId, displayName: actorId, email: `${actorId}@example.com` };
  await append({ type: 'account.registered', data: { actorId, ...name, at: at(day) } });
}

const erase = (actorId: string, day: number) =>
  append({ type: 'account.erased', data: { actorId, handleDigest: 'digest', keyId: 'key', at: at(day) } });

async function folded(actorId: string): Promise<FoldedPerson | undefined> {
  const file = peopleFileOf(requireState(dir));
  const { people } = file ? await readPeople(dir, file) : { people: undefined };
  return people?.get(pseudonymOf(readKey(dir)!, actorId));
}

it('an older event is folded once, whenever the export is killed', async () => {
  const points: readonly KillPoint[] = [
    ...(['file synced', 'file renamed'] as const).map((step) => ({ phase: 'fold', step }) as const),
    ...steps
      .filter((step) => step.startsWith('commit') || step === 'one superseded file removed')
      .map((step) => ({ phase: 'flush', step }) as const),
  ].flatMap(({ phase, step }) => [1, 2].map((time) => ({ phase, step, time })));
  const noticed = newId();
  const total = async () => (await folded(noticed))?.replies;
  await reply(0, noticed);
  await runKilled(bench, dir, null, Date.parse(since));
  let replies = 1;
  expect(await total()).toBe(replies);
  for (const point of sampleOf(points, 3)) {
    // A row of a day that stays fills the buffer, so that there are two flushes.
    for (const day of [0, 3, 3, 3, 1, 3, 3, 3]) await reply(day, noticed);
    const before = requireState(dir);
    expect(await runKilled(bench, dir, point, Date.parse(since))).toEqual({ end: 'SIGKILL', reached: point });
    const state = readState(dir);
    const isOld = JSON.stringify(state) === JSON.stringify(before);
    const flushes = (state?.files.length ?? 0) - before.files.length;
    expect(await total()).toBe(isOld ? replies : replies + flushes);
    await runKilled(bench, dir, null, Date.parse(since));
    expect(await total()).toBe((replies += 2));
    expect(readdirSync(join(dir, 'people'))).toHaveLength(1);
  }
  expect((await bench.plaza('verify', dir)).code).toBe(0);
});

it('an erased person keeps the counts alone, at the next commit, wherever the erasure is', async () => {
  const [erased, other, earlier] = [newId(), newId(), newId()];
  for (const actorId of [erased, other, earlier]) await register(actorId, 0);
  await reply(1, erased);
  await erase(earlier, 1);
  await bench.plaza('export', dir, '--since', since);
  const counts = { follows: 0, likes: 0, replies: 0, registeredOn: '2026-01-01' };
  expect(await folded(erased)).toMatchObject({ ...counts, replies: 1, appId: 'app' });
  expect(await folded(earlier)).toMatchObject({ ...counts, appId: undefined });
  await erase(erased, 5);
  await bench.plaza('export', dir);
  expect(await folded(erased)).toMatchObject({ ...counts, replies: 1, appId: undefined });
  expect(await folded(other)).toMatchObject({ ...counts, appId: 'app' });
});

it('a prune tells how many people it folded, also those erased since, and --forget leaves nothing for good', async () => {
  const [erased, other] = [newId(), newId()];
  for (const actorId of [erased, other]) await register(actorId, 0);
  await erase(erased, 6);
  await bench.plaza('export', dir);
  const pruned = await bench.plaza('prune', dir, '--before', since);
  expect(pruned.stdout).toMatch(
    /^removed \d+ events of \d days, folded into rows of \d+ people; the first day that stays is 2026-01-03\n$/,
  );
  expect([await folded(erased), await folded(other)]).toMatchObject([{ appId: undefined }, { appId: 'app' }]);
  const forgotten = await bench.plaza('prune', dir, '--before', '2026-01-04', '--forget', '--json');
  expect(JSON.parse(forgotten.stdout)).toMatchObject({ firstDay: '2026-01-04', folded: null });
  expect(existsSync(join(dir, 'people')) ? readdirSync(join(dir, 'people')) : []).toEqual([]);
  await register(newId(), 0);
  const older = await bench.plaza('export', dir, '--rebuild', '--since', '2026-01-01');
  expect([older.code, older.stderr]).toEqual([1, expect.stringContaining('removed with --forget')]);
  for (const options of [[], ['--rebuild']]) {
    expect((await bench.plaza('export', dir, ...options)).stdout).toContain('say that they are not complete');
    expect(requireState(dir).folded).toBe('forgotten');
  }
  for (const name of readdirSync(join(dir, 'commits'))) truncateSync(join(dir, 'commits', name), 50);
  expect((await bench.plaza('export', dir, '--rebuild')).code).toBe(0);
  expect(requireState(dir)).toMatchObject({ folded: 'forgotten', since: Date.parse('2026-01-04') });
});

it('a prune folds files that overlap in the order of the log', async () => {
  const [actorId, grantId] = [newId(), newId()];
  const grant = { grantId, appId: 'app', actorId };
  const day = (of: number) => ({ now: () => at(of), signal: new AbortController().signal });
  const written = DataSet.open(dir, { personal: 'none', since: null }, { ...day(2), randomBytes });
  const exported = (flushRows: number) =>
    exportEvents(bench.logBench.log, written, { ...day(2), follow: false, flushRows });
  await exported(1_000);
  for (let n = 0; n < 6; n++) await reply(2, 'noticed');
  await exported(1);
  await append({ type: 'grant.issued', data: { ...grant, scopes: ['offline_access'], at: at(2) } });
  for (let n = 0; n < 11; n++) await reply(2, 'noticed');
  await exported(12);
  await append({ type: 'grant.revoked', data: { ...grant, cause: 'person', at: at(2) } });
  for (let n = 0; n < 3; n++) await reply(2, 'noticed');
  await exported(1);
  const overlapping = written.state.files.filter((file) => file.day === since);
  written.close();
  const [wide, within] = overlapping.toSorted((a, b) => a.rows - b.rows);
  expect(wide!.first < within!.first && wide!.last > within!.last).toBe(true);
  await bench.plaza('prune', dir, '--before', '2026-01-04');
  expect(await folded(actorId)).toMatchObject({ grants: [] });
});

it.each([
  ['reads all of it anew', 'export'],
  ['is finished by an export, if it was killed after its commit', 'killed'],
] as const)('with a log that lost a folded event, --rewind %s', async (_name, how) => {
  const noticed = newId();
  await reply(0, noticed);
  await reply(4, noticed);
  await bench.plaza('export', dir, '--since', since);
  await bench.setBack(async () => {
    await reply(0, noticed);
    await bench.plaza('export', dir);
    expect(await folded(noticed)).toMatchObject({ replies: 2 });
  });
  expect((await bench.plaza('export', dir)).stderr).toContain('The log was replaced');
  if (how === 'killed') {
    const onStep = (_: unknown, step: string) => {
      if (step === 'commit linked') throw new Error('killed');
    };
    const options = { now: Date.now, randomBytes, onStep };
    const killed = DataSet.open(dir, { personal: 'none', since: null }, options);
    await rewind(bench.logBench.log, killed).catch(() => undefined);
    killed.close();
  }
  const finish = how === 'killed' ? [] : ['--rewind'];
  expect((await bench.plaza('export', dir, ...finish)).code).toBe(0);
  expect(await folded(noticed)).toMatchObject({ replies: 1 });
  expect((await positionsOf(dir)).at(-1)).toBe((await bench.logged()).at(-1));
});

it('a data set of a release that folded nothing says so, and is folded by a rebuild', async () => {
  const noticed = newId();
  await reply(0, noticed);
  await bench.plaza('export', dir, '--since', since);
  bench.rewrite(dir, ({ folded: _folded, ...state }) => state);
  await reply(0, noticed);
  const { stdout } = await bench.plaza('export', dir);
  expect(stdout).toContain('left out 1 older events; views that need them say that they are not complete');
  const isFolded = 'SELECT is_folded FROM data_set';
  expect((await bench.plaza('query', dir, isFolded, '--csv')).stdout).toContain('false');
  await bench.plaza('export', dir, '--rebuild');
  expect(await folded(noticed)).toMatchObject({ replies: 2 });
  expect((await bench.plaza('query', dir, isFolded, '--csv')).stdout).toContain('true');
});
