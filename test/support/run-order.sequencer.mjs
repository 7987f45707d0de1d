/**
 * Jest's sequencer, which begins with the files that failed before, then those that took longest here, or else are largest, but:
 *
 * - Files that use the lent or the shared network follow each other in each worker: a network that nobody uses takes a twentieth of a
 *   core. The shared one is used last, so that it starts late. The longest of a sample come before both.
 * - A whole run spreads the files that mostly wait, or the processor would have little to do while they wait together: `@waits` in their first
 *   comment says that they use a core for less than a quarter of their time.
 * - A sample begins with the files that take longest there, which Jest's record does not know: `@slow` says that one takes more than five seconds.
 */
import { readFileSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** So that, more or less, one waits at a time. */
const OTHERS_PER_WAITING = 8;
/** A spec file that imports one of these uses the shared or the lent network: see above. */
const NETWORKS = ['/lent-network.js', '/shared-network.js'];

export default class RunOrderSequencer extends TestSequencer {
  sort(tests) {
    const isSample = process.env['PLAZA_TEST_SAMPLE'] !== undefined;
    const sources = new Map(tests.map((test) => [test, readFileSync(test.path, 'utf8')]));
    const turnOf = (test) => {
      const source = sources.get(test);
      return isSample && hasTag(source, 'slow')
        ? -1
        : NETWORKS.findIndex((name) => source.includes(name)) + 1;
    };
    const sorted = super.sort(tests).toSorted((a, b) => turnOf(a) - turnOf(b));
    return isSample ? sorted : spread(sorted, (test) => hasTag(sources.get(test), 'waits'));
  }
}

/** In the first comment of a spec file. */
const hasTag = (source, tag) =>
  new RegExp(`^[ /*]* @${tag}\\b`, 'm').test(/^\/\*\*.*?\*\//s.exec(source)?.[0] ?? '');

function spread(tests, isWaiting) {
  const later = tests.filter(isWaiting);
  const order = [];
  for (const [n, test] of tests.filter((each) => !isWaiting(each)).entries()) {
    if (n % OTHERS_PER_WAITING === 0) order.push(...later.splice(0, 1));
    order.push(test);
  }
  return [...order, ...later];
}
