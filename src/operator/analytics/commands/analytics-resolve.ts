import { resolve } from 'node:path';
import type { Command } from 'commander';
import { actsOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { Failure } from '../../../base/terminal/failure.js';
import { printResult } from '../../../base/terminal/output.js';
import type { analyticsActs } from '../analytics.acts.js';

interface ResolveOptions extends OperatorOptions {
  readonly reason: string;
  readonly operators?: true;
}

export function addResolve(analytics: Command): void {
  withOperator(analytics.command('resolve').argument('<dir>', 'directory of the data set'))
    .description(
      'show the ids that pseudonyms stand for, or the pseudonyms of ids; each recorded as an event',
    )
    .argument('<id...>', 'pseudonyms of the data set, or ids of the network')
    .option('--operators', 'they are of operators; it needs the role administrator')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(async (dir: string, ids: readonly string[], { reason, ...options }: ResolveOptions) => {
      const { findPseudonyms, pseudonymWithKey } = await import('../../../analytics/query/pseudonyms.js');
      const target = resolve(dir);
      const acts = actsOf<typeof analyticsActs>(options);
      const operators = options.operators === true;
      for (const { pseudonym, column, ...place } of await findPseudonyms(target, ids, { operators })) {
        const resolved = operators
          ? await acts.call('POST /operator/analytics/operators', { ...place, reason })
          : await acts.call('POST /operator/analytics/ids', { ...place, column, reason });
        const { kind, id, name } = resolved;
        if ((pseudonymWithKey(target, id) ?? pseudonym) !== pseudonym)
          throw new Failure(
            `${target} is of another network: its event ${place.eventId} has another id there`,
          );
        const called = name ? `, ${name}` : '';
        printResult(options, { pseudonym, ...resolved }, [`${pseudonym} is the ${kind} ${id}${called}`]);
      }
    });
}
