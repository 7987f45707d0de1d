import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import { plainText } from '../../../support/plain-text.js';
import { Failure } from '../failure.js';
import { operatorClientOf, withReason } from '../command-options.js';
import type { OperatorOptions } from '../command-options.js';
import { isOnTerminal } from '../output.js';
import { tableLines } from '../table.js';
import type { Rows } from '../../../analytics/query/output.js';
import type { Views } from '../../../analytics/query/open-views.js';

interface QueryOptions extends OperatorOptions {
  readonly csv?: true;
  readonly parquet?: string;
  readonly decrypt?: true;
  readonly reason?: string;
}

export function addQuery(analytics: Command): void {
  withReason(analytics.command('query').argument('<dir>', 'directory of the data set'))
    .description('answer a SELECT over the views of a data set, in the SQL of DuckDB; UTC')
    .argument('<sql>', 'one SELECT; DESCRIBE and SHOW TABLES count as such')
    .addOption(new Option('--csv', 'print CSV').conflicts(['json', 'parquet']))
    .addOption(new Option('--parquet <file>', 'write the rows to a Parquet file').conflicts('json'))
    .addOption(
      new Option(
        '--decrypt',
        'show the texts of the column personal, by the operator API; it needs --reason, and is recorded as an event',
      ).conflicts('parquet'),
    )
    .action(async (dir: string, sql: string, options: QueryOptions, command: Command) => {
      const { parquet, reason, decrypt } = options;
      if (decrypt === true && reason === undefined)
        command.error('error: --decrypt needs --reason', { exitCode: 2 });
      const { requireState } = await import('../../../analytics/data-set/commits.js');
      const { openViews } = await import('../../../analytics/query/open-views.js');
      if (decrypt === true && requireState(resolve(dir)).personal === 'none')
        throw new Failure(
          `${dir} has no ciphertexts: export into another directory with --personal encrypted`,
        );
      if (parquet !== undefined) {
        const { writeParquet } = await import('../../../analytics/query/write-parquet.js');
        return writeParquet(resolve(dir), sql, resolve(parquet));
      }
      const views = await openViews(resolve(dir));
      try {
        if (decrypt === true) await print(views, sql, options, decryptedWith(options));
        else await print(views, sql, options);
      } finally {
        views.close();
      }
    });
}

export function addShell(analytics: Command): void {
  analytics
    .command('shell')
    .argument('<dir>', 'directory of the data set')
    .description('answer one SELECT after the other, each ended by a semicolon; Ctrl-D ends it')
    .action(async (dir: string) => {
      const { openViews } = await import('../../../analytics/query/open-views.js');
      const views = await openViews(resolve(dir));
      const input = createInterface({
        input: process.stdin,
        output: process.stderr,
        prompt: 'plaza> ',
        terminal: process.stdin.isTTY,
      });
      let isOpen = process.stdin.isTTY;
      input.once('close', () => (isOpen = false));
      const prompt = () => isOpen && input.prompt();
      let statement = '';
      prompt();
      for await (const line of input) {
        statement += `${line}\n`;
        if (!/;\s*$/.test(statement)) continue;
        await print(views, statement, {}).catch(explain);
        statement = '';
        prompt();
      }
      views.close();
    });
}

function explain(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
  console.error(plainText(error.message));
}

function decryptedWith(options: QueryOptions) {
  return async (rows: Rows): Promise<Rows> => {
    const { decryptRows } = await import('./analytics-decrypt.js');
    return decryptRows(rows, operatorClientOf(options), options.reason ?? '');
  };
}

async function print(
  views: Views,
  sql: string,
  options: Pick<QueryOptions, 'csv' | 'json'>,
  change: (rows: Rows) => Rows | Promise<Rows> = (rows) => rows,
): Promise<void> {
  const { csvLines, jsonLines, rowsOf } = await import('../../../analytics/query/output.js');
  await views.query(sql, async (result) => {
    const rows = await change(await rowsOf(result));
    const isTable = !options.csv && !options.json && isOnTerminal();
    const lines = isTable ? await tableOf(rows) : options.csv ? csvLines(rows) : jsonLines(rows);
    try {
      await pipeline(Readable.from(lines), process.stdout, { end: false });
    } catch (error) {
      // The reader of the pipe has closed it, as `head` does.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
    }
  });
}

async function tableOf({ columns, rows }: Rows): Promise<readonly string[]> {
  const { textOf } = await import('../../../analytics/query/output.js');
  const cells: string[][] = [];
  for await (const row of rows) cells.push(row.map((value) => textOf(value)));
  return tableLines(columns, cells).map((line) => plainText(`${line}\n`));
}
