/** Each figure of the views is what a slow recount over all events says, wherever it calls itself complete. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeCompleteUntil } from '../../src/analytics/data-set/complete-until.js';
import { withDataSet } from '../../src/analytics/export/export-data-set.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import type { Views } from '../../src/analytics/query/open-views.js';
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

/** The data set of a history, of which the events before `since` were left out. */
async function viewsOf(history: History, since: number | undefined): Promise<Views> {
  const dir = join(root, crypto.randomUUID());
  const signal = new AbortController().signal;
  const now = () => history.end;
  async function* undecoded() {
    yield await Promise.resolve({ events: history.log.stored(), caughtUp: true });
  }
  await withDataSet(dir, { since, now }, (dataSet) =>
    exportEvents({ undecoded }, dataSet, { follow: false, signal, now }),
  );
  writeCompleteUntil(dir, history.end);
  return openViews(dir);
}

describe.each([1, 2, 3, 4])('a random history with the seed %i', (seed) => {
  const history = new History(seed);
  const cut = history.begin + Math.floor(new Random(seed + 100).next() * (history.end - history.begin) * 0.5);

  it.each([
    ['whole', undefined],
    ['cut', cut],
  ])('has the figures of its recount: %s', async (_name, since) => {
    const views = await viewsOf(history, since);
    try {
      const complete = (view: string) =>
        all(views, `SELECT * EXCLUDE (is_complete) FROM ${view} WHERE is_complete ORDER BY ALL`);
      const days = (await all(views, 'SELECT day FROM daily_active ORDER BY day')).map(({ day }) =>
        String(day),
      );
      const first = Date.parse(days[0] ?? '');
      expect(days).toEqual(daysOf(first, history.end));
      // Days before the first event that was kept have no rows.
      const from = Math.max(since ?? history.begin, first);
      const wholeAfter = (length: number) =>
        history.wholeDays.filter((day) => Date.parse(day) - (length - 1) * DAY_MS >= from);
      expect(await complete('daily_active')).toEqual(wholeAfter(1).map((day) => history.daily(day)));
      for (const [view, length] of [
        ['weekly_active', 7],
        ['monthly_active', 28],
      ] as const)
        expect(await complete(view)).toEqual(wholeAfter(length).map((day) => history.rolling(day, length)));
      expect(await complete('retention')).toEqual(history.retention(from));
      expect(await complete('decision_speed')).toEqual(history.decisionSpeed(from));
      expect(await complete('grant_churn')).toEqual(since === undefined ? history.grants() : []);
    } finally {
      views.close();
    }
  });
});
