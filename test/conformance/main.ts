/**
 * Writes docs/conformance.md (`npm run conformance`). With `-- --check` it writes nothing, and prints the faults of the
 * page, the list, the titles and the run in artifacts/run.json, one on each line. Exit code 0: no fault; 1: faults; 2:
 * wrong usage.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Sources } from '../changed/reach.ts';
import { faultsInOutcomes, faultsInTags, unansweredCodes } from './check.ts';
import type { Run } from './check.ts';
import { faultsIn, readDocument, readList } from './list.ts';
import { pageOf } from './page.ts';
import { decidedStatuses } from './statuses.ts';
import { readTags } from './tags.ts';

const page = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const recorded = fileURLToPath(new URL('../../artifacts/run.json', import.meta.url));

const [list, tags] = [readList(), readTags()];

function faultsOfAll(): string[] {
  const isStale = !existsSync(page) || readFileSync(page, 'utf8') !== pageOf(list, tags);
  return [
    ...faultsIn(list, readDocument()),
    ...faultsInTags(list, tags),
    ...(isStale ? ['docs/conformance.md is not what would be generated: npm run conformance'] : []),
    ...faultsOfRun(),
  ];
}

function faultsOfRun(): string[] {
  if (!existsSync(recorded)) return ['artifacts/run.json is not there: run all tests (npm run test:all)'];
  const { outcomes, answered } = JSON.parse(readFileSync(recorded, 'utf8')) as Run;
  const sources = new Sources(fileURLToPath(new URL('../..', import.meta.url)));
  // CI may leave the others out (test/changed/decide.ts).
  const always = answered.filter(({ file }) => sources.alwaysRuns(file));
  return [...faultsInOutcomes(tags, outcomes), ...unansweredCodes(decidedStatuses(), always)];
}

function isCheck(): boolean {
  try {
    return parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nusage: npm run conformance [-- --check]\n`);
    process.exit(2);
  }
}

if (isCheck()) {
  const faults = faultsOfAll();
  for (const fault of faults) process.stdout.write(`conformance: ${fault}\n`);
  if (faults.length === 0)
    process.stdout.write('conformance: every sentence is shown by tests that passed\n');
  process.exitCode = faults.length === 0 ? 0 : 1;
} else writeFileSync(page, pageOf(list, tags));
