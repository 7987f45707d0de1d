import { dirname, resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { Failure } from '../../../base/terminal/failure.js';
import { actsOf, withReason } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import type { analyticsActs } from '../analytics.acts.js';
import { withMemory } from './memory.js';
import type { MemoryOptions } from './memory.js';
import type { Rows } from '../../../analytics/query/output.js';
import { explained } from './analytics-explained.js';
import { printRows } from './analytics-print.js';
import type { RowFormat } from './analytics-print.js';

interface QueryOptions extends OperatorOptions, RowFormat, MemoryOptions {
  readonly parquet?: string;
  readonly decrypt?: true;
  readonly reason?: string;
}

export function addQuery(analytics: Command): void {
  withMemory(withReason(analytics.command('query').argument('<dir>', 'directory of the data set')))
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
      const { parquet, reason, decrypt, memory } = options;
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
        const file = resolve(parquet);
        return explained(dirname(file), () => writeParquet(resolve(dir), sql, file, memory));
      }
      const views = await openViews(resolve(dir), { memory });
      try {
        if (decrypt === true) await printRows(views, sql, options, decryptedWith(options));
        else await printRows(views, sql, options);
      } finally {
        views.close();
      }
    });
}

function decryptedWith(options: QueryOptions) {
  return async (rows: Rows): Promise<Rows> => {
    const { decryptRows } = await import('./analytics-decrypt.js');
    return decryptRows(rows, actsOf<typeof analyticsActs>(options), options.reason ?? '');
  };
}
