import { resolve } from 'node:path';
import type { Command } from 'commander';
import { operatorClientOf, REASON_HELP, withOperator } from '../command-options.js';
import type { OperatorOptions } from '../command-options.js';
import { Failure } from '../failure.js';
import { printResult } from '../output.js';

interface ResolveOptions extends OperatorOptions {
  readonly reason: string;
}

export function addResolve(analytics: Command): void {
  withOperator(analytics.command('resolve').argument('<dir>', 'directory of the data set'))
    .description('show the id that a pseudonym stands for, or the pseudonym of an id; recorded as an event')
    .argument('<id>', 'a pseudonym of the data set, or an id of the network')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(async (dir: string, id: string, { reason, ...options }: ResolveOptions) => {
      const { findPseudonym, pseudonymWithKey } = await import('../../../analytics/query/pseudonyms.js');
      const target = resolve(dir);
      const found = await findPseudonym(target, id);
      const { pseudonym, ...place } = found;
      const { kind, id: resolved } = await operatorClientOf(options).resolvePseudonym(place, reason);
      if ((pseudonymWithKey(target, resolved) ?? pseudonym) !== pseudonym)
        throw new Failure(`${target} is of another network: its event ${place.eventId} has another id there`);
      printResult(options, { pseudonym, kind, id: resolved }, [`${pseudonym} is the ${kind} ${resolved}`]);
    });
}
