/**
 * Writes artifacts/run.json after a run of all tests: each test with file, titles, ids of sentences and outcome, and each
 * error code that passing tests were answered with. A partial run writes nothing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { refusalsFile } from '../support/recorded-refusals.ts';
import { splitTitle } from './tags.ts';

export default class RunReporter {
  constructor(config) {
    this.rootDir = config.rootDir;
    const { testPathPatterns, testNamePattern, onlyChanged, onlyFailures, shard } = config;
    this.isWhole =
      process.env['PLAZA_TEST_SAMPLE'] === undefined &&
      (testPathPatterns?.patterns ?? []).length === 0 &&
      !testNamePattern &&
      !onlyChanged &&
      !onlyFailures &&
      !shard;
  }

  get file() {
    return join(this.rootDir, 'artifacts', 'run.json');
  }

  onRunStart() {
    if (this.isWhole) rmSync(this.file, { force: true });
  }

  onRunComplete(_contexts, { testResults, wasInterrupted }) {
    if (!this.isWhole || wasInterrupted) return;
    const outcomes = testResults.flatMap(({ testFilePath, testResults: tests }) =>
      tests.map((test) => this.outcomeOf(relative(this.rootDir, testFilePath), test)),
    );
    const passed = new Set(
      testResults.flatMap(({ testFilePath, testResults: tests }) =>
        tests
          .filter(({ status }) => status === 'passed')
          .map(({ fullName }) => `${testFilePath} ${fullName}`),
      ),
    );
    const answered = refusalsMet()
      .filter(({ file, test }) => passed.has(`${file} ${test}`))
      .map(({ code, status, file, test }) => ({ code, status, file: relative(this.rootDir, file), test }));
    mkdirSync(join(this.rootDir, 'artifacts'), { recursive: true });
    writeFileSync(this.file, `${JSON.stringify({ outcomes, answered }, null, 1)}\n`);
  }

  outcomeOf(file, { ancestorTitles, title, status }) {
    const titles = [...ancestorTitles, title].map(splitTitle);
    return { file, titles: titles.map((each) => each.title), ids: titles.flatMap(({ ids }) => ids), status };
  }
}

function refusalsMet() {
  const file = refusalsFile();
  if (!file || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
