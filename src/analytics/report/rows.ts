import type { Json } from '@duckdb/node-api';
import type { Series } from './plots/lines.js';

export type AnswerRow = Readonly<Record<string, Json>>;

export const textIn = (row: AnswerRow, column: string): string => {
  const value = row[column];
  return typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? '(none)'
      : JSON.stringify(value);
};

export function numberIn(row: AnswerRow, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : 0;
}

/** The values of a column at these places of another one. `missing`: of a place without a row. */
export function valuesAt(
  rows: readonly AnswerRow[],
  at: string,
  column: string,
  places: readonly (string | number)[],
  missing: number | null,
): readonly (number | null)[] {
  const byPlace = new Map(rows.map((row) => [JSON.stringify(row[at]), row[column]]));
  return places.map((each) => {
    if (!byPlace.has(JSON.stringify(each))) return missing;
    const value = byPlace.get(JSON.stringify(each));
    return typeof value === 'number' ? value : null;
  });
}

const MOST_SERIES = 5;

/** One series for each of the greatest values of `by`, and one for all others. */
export function seriesBy(
  rows: readonly AnswerRow[],
  {
    by,
    at,
    value,
    x,
  }: { readonly by: string; readonly at: string; readonly value: string; readonly x: readonly string[] },
): readonly Series[] {
  const groups = [...Map.groupBy(rows, (row) => textIn(row, by))]
    .map(([name, own]) => ({ name, own, sum: own.reduce((sum, row) => sum + numberIn(row, value), 0) }))
    .toSorted((a, b) => b.sum - a.sum);
  const shown = groups.length > MOST_SERIES ? groups.slice(0, MOST_SERIES - 1) : groups;
  const rest = groups.slice(shown.length).flatMap(({ own }) => own);
  return [
    ...shown.map(({ name, own }) => ({ name, values: valuesAt(own, at, value, x, 0) })),
    ...(rest.length === 0 ? [] : [{ name: 'others', values: summedAt(rest, at, value, x) }]),
  ];
}

const summedAt = (rows: readonly AnswerRow[], at: string, value: string, x: readonly string[]) =>
  x.map((each) => rows.reduce((sum, row) => sum + (row[at] === each ? numberIn(row, value) : 0), 0));
