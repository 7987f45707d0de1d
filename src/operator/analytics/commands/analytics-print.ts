import type { Views } from '../../../analytics/query/open-views.js';
import type { Rows } from '../../../analytics/query/output.js';
import { plainText } from '../../../base/support/plain-text.js';
import { isOnTerminal } from '../../../base/terminal/output.js';
import { printLines } from '../../../base/terminal/print-lines.js';
import type { OutputOptions } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

export interface RowFormat extends OutputOptions {
  readonly csv?: true;
}

export async function printRows(
  views: Views,
  sql: string,
  options: RowFormat,
  change: (rows: Rows) => Rows | Promise<Rows> = (rows) => rows,
): Promise<void> {
  const { csvLines, jsonLines, rowsOf } = await import('../../../analytics/query/output.js');
  await views.query(sql, async (result) => {
    const rows = await change(await rowsOf(result));
    const isTable = !options.csv && !options.json && isOnTerminal();
    const lines = isTable ? await tableOf(rows) : options.csv ? csvLines(rows) : jsonLines(rows);
    await printLines(lines);
  });
}

async function tableOf({ columns, rows }: Rows): Promise<readonly string[]> {
  const { textOf } = await import('../../../analytics/query/output.js');
  const cells: string[][] = [];
  for await (const row of rows) cells.push(row.map((value) => textOf(value)));
  return tableLines(columns, cells).map((line) => plainText(`${line}\n`));
}
