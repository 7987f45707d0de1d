import type { DuckDBResult, Json } from '@duckdb/node-api';
import { csvLine } from '../../base/terminal/csv.js';
import type { CsvCell } from '../../base/terminal/csv.js';
import { loadDuckDb } from './duckdb.js';

export interface Rows {
  readonly columns: readonly string[];
  /** Whole numbers and decimals as numbers, if they are exact; times and intervals as text. */
  readonly rows: AsyncIterable<readonly Json[]> | Iterable<readonly Json[]>;
}

export async function rowsOf(result: DuckDBResult): Promise<Rows> {
  const { DuckDBIntervalValue, DuckDBTypeId: Id } = await loadDuckDb();
  const numeric = new Set<number>([Id.BIGINT, Id.UBIGINT, Id.HUGEINT, Id.UHUGEINT, Id.DECIMAL]);
  const types = result.columnTypes().map(({ typeId }) => typeId);
  const plain = (value: Json, index: number): Json => {
    const type = types[index] ?? Id.INVALID;
    if (numeric.has(type) && typeof value === 'string') return isExact(value) ? Number(value) : value;
    if (type !== Id.INTERVAL || value === null) return value;
    const { months, days, micros } = value as { months: number; days: number; micros: string };
    return new DuckDBIntervalValue(months, days, BigInt(micros)).toString();
  };
  async function* rows() {
    for await (const chunk of result.yieldRowsJson()) for (const row of chunk) yield row.map(plain);
  }
  return { columns: result.deduplicatedColumnNames(), rows: rows() };
}

/** A double has each number of 15 decimal digits. */
const EXACT_DIGITS = 15;

const isExact = (text: string): boolean =>
  text.includes('.')
    ? text.replace(/0+$/, '').replaceAll(/\D/g, '').length <= EXACT_DIGITS
    : Number.isSafeInteger(Number(text));

export async function* jsonLines({ columns, rows }: Rows): AsyncGenerator<string> {
  for await (const row of rows)
    yield `${JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])))}\n`;
}

/** Lines of RFC 4180, with a heading. */
export async function* csvLines({ columns, rows }: Rows): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const row of rows) yield csvLine(row.map(csvCellOf));
}

/** A pseudonym, a number or an interval: no formula. */
const PLAIN =
  /^-(?:[\w-]{21}|\d+(?:\.\d+)?|(?:\d+ (?:year|month|day)s?(?: -?(?=\d)|$))*(?:\d\d+:\d\d:\d\d(?:\.\d+)?)?)$/;

function csvCellOf(value: Json): CsvCell {
  if (typeof value === 'number') return value;
  const text = textOf(value);
  return PLAIN.test(text) ? text : { free: text };
}

export const textOf = (value: Json): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
