/** Verifies that a run of all tests covers every sentence of the published document. */
import type { Entry } from './list.ts';
import { matchesTag } from './tags.ts';
import type { Tagged } from './tags.ts';

/** One test of a run. `titles`: of its groups and its own, without tags. */
export interface Outcome {
  readonly file: string;
  readonly titles: readonly string[];
  readonly ids: readonly string[];
  readonly status: string;
}

/** An error that some test was answered with. */
export interface AnsweredCode {
  /** The spec file. */
  readonly file: string;
  readonly code: string;
  readonly status: number;
}

/** The contents of artifacts/run.json. */
export interface Run {
  readonly outcomes: readonly Outcome[];
  readonly answered: readonly AnsweredCode[];
}

/** Faults in the titles, independent of a run, one on each line. */
export function faultsInTags(list: readonly Entry[], tags: readonly Tagged[]): string[] {
  const ids = new Set(list.flatMap(({ id }) => id ?? []));
  const shown = new Set(tags.flatMap((tag) => tag.ids));
  return [
    ...[...ids].filter((id) => !shown.has(id)).map((id) => `${id}: no test names it`),
    ...tags.flatMap((tag) =>
      tag.ids.filter((id) => !ids.has(id)).map((id) => `${nameOf(tag)}: there is no sentence ${id}`),
    ),
  ];
}

/** Tagged tests that did not run or did not pass, one on each line. */
export const faultsInOutcomes = (tags: readonly Tagged[], outcomes: readonly Outcome[]): string[] =>
  tags.flatMap((tag) => {
    const ran = outcomes.filter(({ file, titles }) => file === tag.file && matchesTag(titles, tag));
    if (ran.length === 0) return [`${nameOf(tag)}: it did not run`];
    return ran
      .filter(({ status }) => status !== 'passed')
      .map((test) => `${nameOf(test)}: it ${test.status === 'failed' ? 'failed' : 'did not run'}`);
  });

/** Codes that no test was answered with in their decided status. */
export const unansweredCodes = (
  statusOf: Readonly<Record<string, number>>,
  answered: readonly AnsweredCode[],
): string[] =>
  Object.entries(statusOf)
    .filter(([code, status]) => !answered.some((each) => each.code === code && each.status === status))
    .map(([code, status]) => `${code}: no test was answered with it and status ${status}`);

const nameOf = ({ file, titles }: Pick<Tagged, 'file' | 'titles'>): string => `${file}: ${titles.join(' ')}`;
