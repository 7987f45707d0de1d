import type { RecoveryPlan } from '../../../recovery/plan/recovery-plan.js';
import type { RecoveryStatus } from '../../../recovery/plan/recovery-status.js';
import { isOnTerminal, localMoment, timeText } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

export function linesOfStatus({
  state,
  reason,
  incarnation,
  witness,
  witnessFault,
  jobs,
  retired,
}: RecoveryStatus): string[] {
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
    ...(isOnTerminal() ? tablesOf(jobs, retired) : [...jobs.map(lineOfJob), ...retired.map(lineOfRetired)]),
  ];
}

export function linesOfPlan(plan: RecoveryPlan): string[] {
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

const stateLine = (state: RecoveryStatus['state'], reason: string | null): string =>
  state === 'none' ? 'nothing is published yet' : reason === null ? state : `${state}: ${reason}`;

function linesOfMissing({ count, byType, first }: RecoveryPlan['restrictions'], label: string): string[] {
  if (count === 0) return [];
  return [
    `${label} ${Object.entries(byType)
      .map(([type, many]) => `${many} ${type}`)
      .join(', ')}`,
    ...(isOnTerminal() ? tableOfMissing(first) : first.map(lineOfMissing)),
    ...(count > first.length ? [`  and ${count - first.length} more`] : []),
  ];
}

type Missing = RecoveryPlan['restrictions']['first'][number];
type Job = RecoveryStatus['jobs'][number];
type Retired = RecoveryStatus['retired'][number];

const lineOfMissing = ({ epoch, type, stream, at }: Missing): string =>
  `  ${epoch}  ${type}  ${stream}  ${timeText(at)}`;

function lineOfJob({ kind, state, step, requestedBy, requestedAt, message }: Job): string {
  return `job          ${kind} of ${timeText(requestedAt)} by ${requestedBy}: ${state}${(message ?? step) ? `, ${message ?? step}` : ''}`;
}

const lineOfRetired = ({ incarnation, keptUntil, refused }: Retired): string =>
  `kept         ${incarnation} until ${timeText(keptUntil)}${refused === null ? '' : `; ${refused}`}`;

const tableOfMissing = (first: readonly Missing[]): string[] =>
  tableLines(
    ['  EPOCH', 'TYPE', 'TIME', 'STREAM'],
    first.map(({ epoch, type, stream, at }) => [`  ${epoch}`, type, localMoment(at), stream]),
  );

function tablesOf(jobs: readonly Job[], retired: readonly Retired[]): string[] {
  const jobRows = jobs.map(({ kind, state, step, requestedBy, requestedAt, message }) => [
    kind,
    localMoment(requestedAt),
    state,
    requestedBy,
    message ?? step ?? '',
  ]);
  const retiredRows = retired.map(({ incarnation, retiredAt, keptUntil, refused }) => [
    incarnation,
    localMoment(retiredAt),
    localMoment(keptUntil),
    refused ?? 'possible',
  ]);
  return [
    ...(jobRows.length === 0
      ? []
      : ['', ...tableLines(['JOB', 'REQUESTED', 'STATE', 'BY', 'MESSAGE'], jobRows)]),
    ...(retiredRows.length === 0
      ? []
      : ['', ...tableLines(['KEPT INCARNATION', 'RETIRED', 'KEPT UNTIL', 'ROLLBACK'], retiredRows)]),
  ];
}
