/**
 * Runs a sample of each spec file's cases where PLAZA_TEST_SAMPLE names a seed, at least one of every file. Unit specs run
 * whole. A file whose cases build on each other has `@sample first` in its first comment: its sample is its first cases.
 */
import { createHash } from 'node:crypto';
import NativeEnvironment from './native.environment.mjs';

const SHARE = 0.05;

export default class SampleEnvironment extends NativeEnvironment {
  #file;
  #isSequence;

  constructor(config, context) {
    super(config, context);
    if (!context.testPath.endsWith('.unit.spec.ts'))
      this.#file = context.testPath.slice(config.projectConfig.rootDir.length);
    this.#isSequence = context.docblockPragmas['sample'] === 'first';
  }

  /** Once all cases of the file are known, and before the first runs. */
  handleTestEvent({ name }, state) {
    const seed = process.env['PLAZA_TEST_SAMPLE'];
    if (name !== 'run_start' || seed === undefined || this.#file === undefined) return;
    const cases = casesIn(state.rootDescribeBlock).filter(({ mode }) => mode !== 'skip' && mode !== 'todo');
    const rank = (each) =>
      createHash('sha256')
        .update(`${seed} ${this.#file} ${nameOf(each)}`)
        .digest('hex');
    const ranks = new Map(cases.map((each) => [each, rank(each)]));
    const ranked = this.#isSequence ? cases : cases.sort((a, b) => (ranks.get(a) < ranks.get(b) ? -1 : 1));
    remove(state.rootDescribeBlock, new Set(ranked.slice(Math.max(1, Math.round(cases.length * SHARE)))));
  }
}

function remove(block, cases) {
  block.children = block.children.filter((child) => !cases.has(child));
  for (const child of block.children) if (child.type === 'describeBlock') remove(child, cases);
}

const casesIn = ({ children }) =>
  children.flatMap((child) => (child.type === 'describeBlock' ? casesIn(child) : [child]));

function nameOf({ name, parent }) {
  return parent === undefined || parent.name === 'ROOT_DESCRIBE_BLOCK' ? name : `${nameOf(parent)} ${name}`;
}
