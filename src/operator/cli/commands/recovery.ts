import type { Command } from 'commander';
import { operatorApi, withOperator, withReason } from '../command-options.js';
import type { CommandOptions, OperatorOptions } from '../command-options.js';
import { outcomeOf, watchJob } from '../jobs.js';
import type { OperatorClient } from '../operator-client.js';
import { answer, moment } from '../output.js';

interface ApplyOptions extends CommandOptions {
  readonly reseedWitness?: true;
}

export function addRecovery(program: Command): void {
  const recovery = program
    .command('recovery')
    .description('recovery: show the state, plan, recover, roll back');
  withOperator(recovery.command('status'))
    .description('show the state of reads, log, witness and jobs')
    .action(async (options: OperatorOptions) => {
      const status = await operatorApi(options).recoveryStatus();
      answer(options, status, linesOfStatus(status));
    });

  withOperator(recovery.command('plan'))
    .description('show the steps of apply, their duration, and permanent losses; changes nothing')
    .action(async (options: OperatorOptions) => {
      const plan = await operatorApi(options).recoveryPlan();
      answer(options, plan, linesOfPlan(plan));
    });

  withReason(recovery.command('apply'))
    .description(
      'end a quarantine: append missing restrictions, rebuild and verify read models; Ctrl-C pauses, the same command resumes',
    )
    .option(
      '--reseed-witness',
      'the witness was lost or rolled back: record every restriction of the log in it again',
    )
    .action(async ({ reason, reseedWitness: reseed, ...options }: ApplyOptions) => {
      const api = operatorApi(options);
      const reseedWitness = reseed === true;
      const resumeCommand = `plaza recovery apply${reseedWitness ? ' --reseed-witness' : ''}`;
      const request = async () => (await api.recover(reseedWitness, reason)).job;
      const job = await watchJob(api, request, resumeCommand);
      answer(options, { job }, [job ? outcomeOf(job) : 'there is nothing to recover; nothing changed']);
    });

  withReason(recovery.command('rollback'))
    .description('publish the previous read models again, from before the last rebuild or recovery')
    .action(async ({ reason, ...options }: CommandOptions) => {
      const api = operatorApi(options);
      const request = async () => (await api.rollback(reason)).job;
      const job = await watchJob(api, request, 'plaza recovery rollback');
      answer(options, { job }, [job ? outcomeOf(job) : 'nothing changed']);
    });
}

type Status = Awaited<ReturnType<OperatorClient['recoveryStatus']>>;
type Plan = Awaited<ReturnType<OperatorClient['recoveryPlan']>>;

function linesOfStatus({
  state,
  reason,
  incarnation,
  witness,
  witnessFault,
  jobs,
  retired,
}: Status): string[] {
  return [
    `state        ${stateLine(state, reason)}`,
    `incarnation  ${incarnation ?? 'none yet'}`,
    ...(witness
      ? [
          `restrictions ${witness.epochs.witness} witnessed, ${witness.epochs.log} in the log, ${witness.epochs.readModel} applied; ${witness.unsettled} unsettled`,
          `ledger       ${witness.brokenLine === null ? 'whole' : `ALTERED at line ${witness.brokenLine}`}`,
          ...(witness.setBack === null ? [] : [`log          ROLLED BACK: ${witness.setBack}`]),
          ...linesOfMissing(witness.missing, 'missing'),
          ...(witness.unwitnessed > 0
            ? [`the witness LACKS ${witness.unwitnessed} restrictions that the log has`]
            : []),
          ...(witness.onlyShown > 0
            ? [`LOG AND WITNESS LACK ${witness.onlyShown} restrictions that the read models have`]
            : []),
        ]
      : [`restrictions unknown: ${witnessFault}`]),
    ...jobs.map(lineOfJob),
    ...retired.map(
      (each) =>
        `kept         ${each.incarnation} until ${moment(each.keptUntil)}${each.refused === null ? '' : `; ${each.refused}`}`,
    ),
  ];
}

function linesOfPlan(plan: Plan): string[] {
  const { state, reason, isNeeded, refused, needsReseed, restrictions, unsettled, rebuild, lost } = plan;
  if (!isNeeded) return ['there is nothing to recover'];
  const duration =
    rebuild.seconds === null
      ? 'duration unknown, since no rebuild was measured here yet'
      : `about ${rebuild.seconds} s (the last one: ${rebuild.events} events at ${rebuild.eventsPerSecond} a second)`;
  return [
    `state        ${stateLine(state, reason)}`,
    ...(refused === null ? [] : [`BLOCKED: ${refused}`]),
    ...(needsReseed ? ['the witness was lost or rolled back: run apply with --reseed-witness'] : []),
    `1. append ${restrictions.count} missing restrictions to the log again`,
    ...linesOfMissing(restrictions, '  '),
    `2. rebuild accounts, applications and grants from the log`,
    `3. rebuild the read models, verify every table, publish them: ${duration}`,
    ...(unsettled > 0
      ? [`${unsettled} restrictions are in doubt (unsettled): each is looked up in the log`]
      : []),
    lost,
  ];
}

const stateLine = (state: Status['state'], reason: string | null): string =>
  state === 'none' ? 'nothing is published yet' : reason === null ? state : `${state}: ${reason}`;

function linesOfMissing({ count, byType, first }: Plan['restrictions'], label: string): string[] {
  if (count === 0) return [];
  return [
    `${label} ${Object.entries(byType)
      .map(([type, many]) => `${many} ${type}`)
      .join(', ')}`,
    ...first.map(({ epoch, type, stream, at }) => `  ${epoch}  ${type}  ${stream}  ${moment(at)}`),
    ...(count > first.length ? [`  and ${count - first.length} more`] : []),
  ];
}

function lineOfJob({ kind, state, step, requestedBy, requestedAt, message }: Status['jobs'][number]): string {
  return `job          ${kind} of ${moment(requestedAt)} by ${requestedBy}: ${state}${(message ?? step) ? `, ${message ?? step}` : ''}`;
}
