import type { Command } from 'commander';
import { actsOf, operatorClientOf, withOperator, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import { outcomeOf, watchJob } from './jobs.js';
import { printResult } from '../../../base/terminal/output.js';
import type { recoveryActs } from '../recovery.acts.js';
import { linesOfPlan, linesOfStatus } from './recovery-report.js';

interface ApplyOptions extends CommandOptions {
  readonly reseedWitness?: true;
}

const acts = actsOf<typeof recoveryActs>;
const perform = performing<typeof recoveryActs>();

export function addRecoveryCommands(program: Command): void {
  const recovery = program
    .command('recovery')
    .description('recovery: show the state, plan, recover, roll back');
  withOperator(recovery.command('status'))
    .description('show the state of reads, log, witness and jobs')
    .action(perform('GET /operator/recovery', linesOfStatus));

  withOperator(recovery.command('plan'))
    .description('show the steps of apply, their duration, and permanent losses; changes nothing')
    .action(perform('GET /operator/recovery/plan', linesOfPlan));

  withReason(recovery.command('apply'))
    .description(
      'end a quarantine: append missing restrictions, rebuild and verify read models; Ctrl-C pauses, the same command resumes',
    )
    .option(
      '--reseed-witness',
      'the witness was lost or rolled back: record every restriction of the log in it again',
    )
    .action(async ({ reason, reseedWitness: reseed, ...options }: ApplyOptions) => {
      const reseedWitness = reseed === true;
      const resumeCommand = `plaza recovery apply${reseedWitness ? ' --reseed-witness' : ''}`;
      const request = async () =>
        (await acts(options).call('POST /operator/recovery/apply', { reseedWitness, reason })).job;
      const job = await watchJob(operatorClientOf(options), request, resumeCommand);
      printResult(options, { job }, [job ? outcomeOf(job) : 'there is nothing to recover; nothing changed']);
    });

  withReason(recovery.command('rollback'))
    .description('publish the previous read models again, from before the last rebuild or recovery')
    .action(async ({ reason, ...options }: CommandOptions) => {
      const request = async () =>
        (await acts(options).call('POST /operator/recovery/rollback', { reason })).job;
      const job = await watchJob(operatorClientOf(options), request, 'plaza recovery rollback');
      printResult(options, { job }, [job ? outcomeOf(job) : 'nothing changed']);
    });
}
