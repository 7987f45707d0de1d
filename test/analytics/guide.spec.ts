/** docs/analytics.md and the report, on the demo's data. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { typesWith } from '../../src/analytics/columns/activity.js';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { guideOf, withSection } from '../../src/analytics/report/guide.js';
import { questions } from '../../src/analytics/report/questions.js';
import { describeInBrowser, startChromium } from '../browser/support/chromium.js';
import { accessibilityFaults } from '../browser/support/console.js';
import { expectLegible } from '../browser/support/legibility.js';
import { runPlaza } from '../support/command.js';
import { withoutNotice } from './support/export-bench.js';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
let root: string;
let dir: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plaza-guide-'));
  dir = join(root, 'demo');
  await runPlaza(['analytics', 'demo', dir], {});
});

afterAll(() => rmSync(root, { recursive: true }));

it('the guide has each question with a definition, its SQL, the answer on the demo’s data, and its plot', async () => {
  const { section, plots } = await guideOf(dir);
  const document = readFileSync(join(docs, 'analytics.md'), 'utf8');
  expect(withSection(document, section)).toBe(document);
  expect(readdirSync(join(docs, 'analytics')).toSorted()).toEqual([...plots.keys()].toSorted());
  for (const [name, plot] of plots) expect(readFileSync(join(docs, 'analytics', name), 'utf8')).toBe(plot);
  expect(questions.length).toBeGreaterThanOrEqual(7);
  for (const type of typesWith('acts')) expect(document).toContain(`\`${type}\``);
  for (const { definition } of questions) expect(definition).toMatch(/^[A-Z][^.]+\.$/);
});

it('a demo is written into no other data set', async () => {
  expect(await runPlaza(['analytics', 'demo', dir], {})).toEqual({
    code: 1,
    stdout: '',
    stderr: `${dir} is a data set already: name a new directory\n`,
  });
});

it('an export into the demo’s data set, whose key is known to everybody, is refused', async () => {
  const env = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', ANALYTICS_EXPORT_ALONE: 'on' };
  const before = requireState(dir);
  for (const options of [[], ['--rewind'], ['--rebuild'], ['--follow']])
    expect(withoutNotice(await runPlaza(['analytics', 'export', dir, ...options], env))).toEqual({
      code: 1,
      stdout: '',
      stderr: `${dir} is the demo's data set: name another directory\n`,
    });
  expect(requireState(dir)).toEqual(before);
});

it('a report is written whole, for its owner alone, and loads nothing', async () => {
  const { stdout } = await runPlaza(['analytics', 'report', dir, '--json'], {});
  const path = join(dir, 'report.html');
  expect(JSON.parse(stdout)).toEqual({ path });
  const page = readFileSync(path, 'utf8');
  expect(page).not.toMatch(/<script|<link|<img|\bsrc=|url\(/);
  expect([...page.matchAll(/https?:[^"'\s<]+/g)].map(String)).toEqual(
    questions.map(() => 'http://www.w3.org/2000/svg'),
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect(await runPlaza(['analytics', 'verify', dir], {})).toMatchObject({ code: 0 });
});

it('a report that has no place says so before it asks', async () => {
  for (const [place, code] of [
    [join(root, 'none', 'page.html'), 'ENOENT'],
    [root, 'EISDIR'],
  ] as const) {
    const { stdout, stderr } = await runPlaza(['analytics', 'report', dir, place], {});
    expect([stdout, stderr.split('\n').at(-2)]).toEqual([
      '',
      expect.stringContaining(`${place} cannot be written (${code})`),
    ]);
  }
});

it('a report of a data set without events says so', async () => {
  const { writeReport } = await import('../../src/analytics/report/report.js');
  const { withDataSet } = await import('../../src/analytics/export/export-data-set.js');
  const empty = join(root, 'empty');
  await withDataSet(empty, { now: Date.now }, () => undefined);
  const file = join(root, 'empty.html');
  await writeReport(empty, file);
  const page = readFileSync(file, 'utf8');
  expect(page.match(/has no event that answers this/g)?.length).toBeGreaterThanOrEqual(7);
});

describeInBrowser('a report, in a real browser', () => {
  let chromium: Browser;

  beforeAll(async () => {
    chromium = await startChromium();
    await runPlaza(['analytics', 'report', dir], {});
  });

  afterAll(() => chromium?.close());

  it('opens from its file offline, is accessible, and legible in light and dark, wide and narrow', async () => {
    const page = await chromium.newPage();
    const faults: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => requests.push(request.url()));
    await page.context().setOffline(true);
    await page.goto(`file://${dir}/report.html`);
    expect(await page.getByRole('img').count()).toBe(questions.length);
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await expectLegible(page, 'analytics-report', { isLong: true });
    expect(requests).toEqual([`file://${dir}/report.html`]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
