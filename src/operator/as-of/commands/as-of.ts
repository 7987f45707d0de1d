import type { Command } from 'commander';
import { sleep } from '../../../base/support/sleep.js';
import { TIME_HELP } from '../../audit/time.js';
import type { AsOfView } from '../answer.js';
import type { asOfActs } from '../as-of.acts.js';
import type { AsOfStatus } from '../status.js';
import { asOfLines } from './as-of-output.js';
import { withNames } from '../../client/with-names.js';
import { operatorClientOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import type { OperatorClient } from '../../client/operator-client.js';
import { Failure } from '../../../base/terminal/failure.js';
import { printResult } from '../../../base/terminal/output.js';
import { ProgressLine } from '../../../base/terminal/progress-line.js';

const POLL_INTERVAL_MS = 250;

interface AsOfOptions extends CommandOptions {
  readonly actor: string;
}

export function addAsOfCommand(program: Command): void {
  withOperator(program.command('as-of'))
    .description("show what the network would show an actor as of a moment, under today's code")
    .argument('<time>', `${TIME_HELP}, or a position of the log`)
    .requiredOption('--actor <id>', 'id of the account that looks')
    .option('--reason <why>', `disclose texts that are not public now; ${REASON_HELP}`)
    .action(async (time: string, { actor, reason, ...options }: AsOfOptions) => {
      const api = operatorClientOf(options);
      const view = await viewAsOf(api, time, actor, reason);
      printResult(options, view, await withNames(api, options, (names) => asOfLines(view, names)));
    });
}

/** Waits for the build, which goes on without this command. @throws {Failure} */
async function viewAsOf(
  api: OperatorClient,
  at: string,
  actor: string,
  reason: string | undefined,
): Promise<AsOfView> {
  const acts = api.of<typeof asOfActs>();
  const { build: requested } = await acts.call('POST /operator/as-of', { at, actor });
  const { position } = requested;
  const look = () =>
    reason === undefined
      ? acts.call('GET /operator/as-of/:position', { position, actor })
      : acts.call('POST /operator/as-of/:position/texts', { position, actor, reason });
  const progress = new ProgressLine(String);
  if (requested.state === 'requested' && requested.secondsLeft !== null)
    progress.show({ what: `a build of about ${requested.secondsLeft} s`, done: 0, total: null });
  for (;;) {
    const { build, view } = await look();
    if (build.state !== 'built') progress.show(stepOf(build));
    if (build.state === 'failed' || view) progress.done();
    if (build.state === 'failed')
      throw new Failure(build.message ?? 'the build failed; see the log of the worker');
    if (view) return view;
    await sleep(POLL_INTERVAL_MS);
  }
}

function stepOf({ state, step, done, total, rate, message }: AsOfStatus) {
  if (state === 'requested') return { what: 'waiting for a worker', done: 0, total: null };
  return { what: message ?? step ?? 'starting', done, total, rate: rate ?? undefined };
}
