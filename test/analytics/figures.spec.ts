/** Each figure of the views is what a slow recount over all events says, wherever it calls itself complete. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pseudonymOf } from '../../src/analytics/columns/rows.js';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { writeCompleteUntil } from '../../src/analytics/data-set/complete-until.js';
import { readKey } from '../../src/analytics/data-set/data-set.js';
import { withDataSet } from '../../src/analytics/export/export-data-set.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import { pruneDataSet } from '../../src/analytics/export/prune-data-set.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import type { Views } from '../../src/analytics/query/open-views.js';
import { questions } from '../../src/analytics/report/questions.js';
import { rowsOf } from '../../src/analytics/query/output.js';
import { Random } from '../../src/analytics/demo/random.js';
import { daysOf, History } from './support/history.js';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'plaza-figures-'));
});

afterAll(() => rmSync(root, { recursive: true }));

const DAY_MS = 86_400_000;

type Row = Readonly<Record<string, unknown>>;

async function all(views: Views, sql: string): Promise<readonly Row[]> {
  return views.query(sql, async (result) => {
    const { columns, rows } = await rowsOf(result);
    const found: Row[] = [];
    for await (const row of rows) found.push(Object.fromEntries(columns.map((name, n) => [name, row[n]])));
    return found;
  });
}

interface Cut {
  readonly at: number;
  readonly by: 'since' | 'prune' | 'prune --forget';
}

/** The data set of a history, of which the events before the cut were left out. */
async function dataSetOf(history: History, cut: Cut | undefined): Promise<string> {
  const dir = join(root, crypto.randomUUID());
  const signal = new AbortController().signal;
  const now = () => history.end;
  async function* undecoded() {
    yield await Promise.resolve({ events: history.log.stored(), caughtUp: true });
  }
  await withDataSet(dir, { since: cut?.by === 'since' ? cut.at : undefined, now }, (dataSet) =>
    exportEvents({ undecoded }, dataSet, { follow: false, signal, now }),
  );
  if (cut !== undefined && cut.by !== 'since')
    await pruneDataSet(dir, { before: cut.at, forget: cut.by === 'prune --forget' }, now);
  writeCompleteUntil(dir, requireState(dir), history.end);
  return dir;
}

describe.each([1, 2, 3])('a random history with the seed %i', (seed) => {
  const history = new History(seed);
  const part = 0.3 + new Random(seed + 100).next() * 0.3;
  const at = history.begin + Math.floor((history.end - history.begin) * part);

  it.each([
    ['whole', undefined],
    ['since', { at, by: 'since' }],
    ['pruned', { at, by: 'prune' }],
    ['forgotten', { at, by: 'prune --forget' }],
  ] as const)('has the figures of its recount: %s', async (_name, cut) => {
    const dir = await dataSetOf(history, cut);
    const views = await openViews(dir);
    try {
      const complete = (view: string) =>
        all(views, `SELECT * EXCLUDE (is_complete) FROM ${view} WHERE is_complete ORDER BY ALL`);
      const days = (await all(views, 'SELECT day FROM daily_active ORDER BY day')).map(({ day }) =>
        String(day),
      );
      const first = Date.parse(days[0] ?? '');
      expect(days).toEqual(daysOf(first, history.end));
      // Days before the first event that was kept have no rows.
      const from = Math.max(cut?.by === 'since' ? cut.at : 0, first);
      const wholeAfter = (length: number) =>
        history.wholeDays.filter((day) => Date.parse(day) - (length - 1) * DAY_MS >= from);
      expect(await complete('daily_active')).toEqual(wholeAfter(1).map((day) => history.daily(day)));
      for (const [view, length] of [
        ['weekly_active', 7],
        ['monthly_active', 28],
      ] as const)
        expect(await complete(view)).toEqual(wholeAfter(length).map((day) => history.rolling(day, length)));
      expect(await complete('retention')).toEqual(history.retention(from, cut?.by !== 'prune --forget'));
      expect(await complete('decision_speed')).toEqual(history.decisionSpeed(from));
      const isKnown = cut?.by !== 'prune --forget';
      expect(await complete('grant_churn')).toEqual(isKnown ? history.grants(wholeAfter(1)) : []);
      const key = readKey(dir)!;
      const people = history.people((id) => pseudonymOf(key, id));
      expect(await complete('(SELECT * EXCLUDE (app_id) FROM people)')).toEqual(
        isKnown ? people.toSorted((a, b) => (a.actor_id < b.actor_id ? -1 : 1)) : [],
      );
      const isWhole = cut === undefined;
      expect(await complete('busy_hours')).toEqual(isWhole ? history.hours() : []);
      const reach = await complete('(SELECT * EXCLUDE (app_id) FROM app_reach)');
      expect(reach).toEqual(isWhole ? history.reach() : []);
      const impact = `SELECT * REPLACE (epoch_ms(hour) AS hour) FROM app_impact`;
      expect(await complete(`(SELECT * EXCLUDE (app_id) FROM (${impact}))`)).toEqual(history.impact(from));
      const isPosted = '(SELECT * EXCLUDE (app_id) FROM posts_per_app WHERE posts > 0)';
      expect(await complete(isPosted)).toEqual(history.posts(wholeAfter(1)));
      const isAnswered = async (name: string) =>
        (await all(views, questions.find((question) => question.name === name)!.sql)).length > 0;
      expect([await isAnswered('churn'), await isAnswered('concentration')]).toEqual([isKnown, isKnown]);
    } finally {
      views.close();
    }
  });
});
