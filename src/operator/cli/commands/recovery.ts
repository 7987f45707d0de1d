import type { Command } from 'commander';
import { operatorApi, withOperator, withReason } from '../act.js';
import type { ActOptions, OperatorOptions } from '../act.js';
import { saidOf, watchJob } from '../jobs.js';
import type { OperatorClient } from '../operator-client.js';
import { answer, moment } from '../output.js';

interface ApplyOptions extends ActOptions {
  readonly reseedWitness?: true;
}

/** `plaza recovery …`: where the network stands, and the ways out of a quarantine and back. */
export function addRecovery(program: Command): void {
  const recovery = program
    .command('recovery')
    .description('recovery: what is served and why not, how to recover, how to go back');
  withOperator(recovery.command('status'))
    .description('what is served, why not, what log and witness have, which work is under way')
    .action(async (options: OperatorOptions) => {
      const status = await operatorApi(options).recoveryStatus();
      answer(options, status, linesOfStatus(status));
    });

  withOperator(recovery.command('plan'))
    .description('what apply would do, how long it takes, and what stays lost; changes nothing')
    .action(async (options: OperatorOptions) => {
      const plan = await operatorApi(options).recoveryPlan();
      answer(options, plan, linesOfPlan(plan));
    });

  withReason(recovery.command('apply'))
    .description(
      'lead the network out of a quarantine: restrictions again, read models anew, verified; Ctrl-C pauses, the same command goes on',
    )
    .option(
      '--reseed-witness',
      'the witness was lost or set back: tell it again every restriction that the log has',
    )
    .action(async ({ reason, reseedWitness: reseed, ...options }: ApplyOptions) => {
      const api = operatorApi(options);
      const reseedWitness = reseed === true;
      const goOn = `plaza recovery apply${reseedWitness ? ' --reseed-witness' : ''}`;
      const ask = async () => (await api.recover(reseedWitness, reason)).job;
      const job = await watchJob(api, ask, goOn);
      answer(options, { job }, [job ? saidOf(job) : 'there is nothing to recover; nothing changed']);
    });

  withReason(recovery.command('rollback'))
    .description('publish again the read models that were published before the last rebuild or recovery')
    .action(async ({ reason, ...options }: ActOptions) => {
      const api = operatorApi(options);
      const ask = async () => (await api.rollback(reason)).job;
      const job = await watchJob(api, ask, 'plaza recovery rollback');
      answer(options, { job }, [job ? saidOf(job) : 'nothing changed']);
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
          ...(witness.setBack === null ? [] : [`log          SET BACK: ${witness.setBack}`]),
          ...linesOfMissing(witness.missing, 'missing'),
          ...(witness.unwitnessed > 0 ? [`the witness LACKS ${witness.unwitnessed} that the log has`] : []),
          ...(witness.onlyShown > 0 ? [`LOG AND WITNESS LACK ${witness.onlyShown} that are applied`] : []),
        ]
      : [`restrictions cannot be told: ${witnessFault}`]),
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
  const pace =
    rebuild.seconds === null
      ? 'how long that takes was never measured here'
      : `about ${rebuild.seconds} s (the last one: ${rebuild.events} events at ${rebuild.eventsPerSecond} a second)`;
  return [
    `state        ${stateLine(state, reason)}`,
    ...(refused === null ? [] : [`NOT AS IT IS  ${refused}`]),
    ...(needsReseed ? ['the witness was lost or set back: apply it with --reseed-witness'] : []),
    `1. apply again ${restrictions.count} restrictions that the log has lost`,
    ...linesOfMissing(restrictions, '  '),
    `2. derive accounts, applications and grants from the log`,
    `3. build read models anew, verify every table, publish them: ${pace}`,
    ...(unsettled > 0 ? [`${unsettled} restrictions are unsettled: each is looked for in the log`] : []),
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
