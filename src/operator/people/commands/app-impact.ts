import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { ApplicationImpact } from '../../../../projections/audit/impact.read-model.js';
import { impactCounts, impactHeadings } from '../../audit/impact-columns.js';
import { beginOf, endOf, TIME_HELP } from '../../audit/time.js';
import { operatorClientOf, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { withNames } from '../../client/with-names.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import type { impactActs } from '../impact.acts.js';
import { localMoment, printResult } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

interface ImpactOptions extends OperatorOptions {
  readonly since?: string;
  readonly until?: string;
  readonly hours?: number;
}

export function addImpactCommand(app: Command): void {
  withOperator(app.command('impact'))
    .description('show what was done through an application: actors, posts, follows, grants, by hour')
    .argument('<client-id>', 'client id of the application')
    .option('--since <time>', `${TIME_HELP}; its hour counts whole`, timeRead(beginOf))
    .option('--until <time>', 'the same, for the end', timeRead(endOf))
    .option('--hours <number>', 'the last hours to list, 0 to 744 (default: 24)', hoursToList)
    .action(async (id: string, { since, until, hours, ...options }: ImpactOptions) => {
      const route = 'GET /operator/applications/:id/impact';
      const asked = { id, since, until, hours };
      const api = operatorClientOf(options);
      const {
        clientId: _clientId,
        name: _name,
        ...impact
      } = await api.of<typeof impactActs>().call(route, asked);
      printResult(options, impact, await withNames(api, options, (names) => linesOf(impact, names)));
    });
}

/** The network reads the time again: it may have another clock. */
function timeRead(read: typeof beginOf): (value: string) => string {
  return (value) => {
    if (read(value, Date.now()) === undefined) throw new InvalidArgumentError(`It must be ${TIME_HELP}.`);
    return value;
  };
}

function hoursToList(value: string): number {
  const hours = Number(value);
  if (/^\d{1,3}$/.test(value) && hours <= 744) return hours;
  throw new InvalidArgumentError('It must be a number from 0 to 744.');
}

function linesOf(
  { actors, acts, first, last, hours, mostActive }: ApplicationImpact,
  { named }: NamesInLines,
): string[] {
  if (first === null || last === null) return ['nothing was done through this application'];
  const counted = Object.entries(acts).toSorted(([, a], [, b]) => b - a);
  return [
    `actors  ${actors}`,
    `hours   ${localMoment(first)} to ${localMoment(last)}`,
    ...tableLines(
      ['EVENTS', 'MOST ACTIVE'],
      mostActive.map(({ actorId, events }) => [String(events), named('actors', actorId)]),
    ),
    '',
    ...tableLines(
      ['EVENTS', 'TYPE'],
      counted.map(([act, events]) => [String(events), act]),
    ),
    ...(hours.length === 0
      ? []
      : [
          '',
          ...tableLines(
            ['HOUR', 'ACTORS', ...impactHeadings.map((heading) => heading.toUpperCase())],
            hours.map(({ hour, actors: those, acts: did }) => [
              localMoment(hour),
              String(those),
              ...impactCounts(did).map(String),
            ]),
          ),
        ]),
  ];
}
