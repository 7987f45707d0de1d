/** The failures of a test run, with their counts and places. */
import { stripVTControlCharacters } from 'node:util';
import { mulberry32 } from '../../src/base/support/mulberry32.ts';

/** The part of Jest's `--json` output that the report uses. */
export interface JestResults {
  readonly testResults: readonly {
    /** The reason why the file could not run, if no test did. */
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

export interface Failure {
  readonly test: string;
  /** `file:line` of the newest frame in the project's own code; empty where no frame is known. */
  readonly where: string;
  readonly message: string;
}

/** Failures of a run. `root`: directory of the project, with a separator at its end. */
export function failuresIn({ testResults }: JestResults, root: string): Failure[] {
  return testResults.flatMap(({ status, message, assertionResults }) => {
    const failures = assertionResults
      .filter((result) => result.status === 'failed')
      .map(({ fullName, failureMessages }) => failure(fullName, failureMessages.join('\n'), root));
    if (failures.length > 0 || status !== 'failed') return failures;
    return [failure('the file itself', message, root)];
  });
}

function failure(test: string, text: string, root: string): Failure {
  const message = stripVTControlCharacters(text);
  const frames = message.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
  const [where = ''] = frames.flatMap((line) => {
    const [, path] = /\(?(?:file:\/\/)?(\/[^()]*:\d+):\d+\)?$/.exec(line) ?? [];
    return path?.startsWith(root) ? [path.slice(root.length)] : [];
  });
  return { test, where, message };
}

/** A line for each test that failed, the most frequent first. */
export function summaryOf(failed: readonly { file: string; failures: readonly Failure[] }[]): string[] {
  const counts = new Map<string, number>();
  for (const { file, failures } of failed)
    for (const { test, where } of failures) {
      const line = `${file}: ${test}${where && ` (${where})`}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([line, count]) => `failed ${count} times: ${line}`);
}

/** The items in an order that a seed decides (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = [...items];
  const random = mulberry32(seed);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
