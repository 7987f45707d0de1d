import type { OpenCases } from '../../../projections/cases/cases.read-model.js';
import type { OldCases } from '../../../projections/cases/waiting-cases.read-model.js';
import { Gauge } from 'prom-client';
import type { ProjectionStatus } from '../../../projections/projection-status.js';
import type { PendingRewrite } from '../../background/erasure/pending-rewrites.js';
import type { PublicationState } from '../../../projections/incarnations/recovery-state.js';
import type { ProcessMetrics } from '../../base/telemetry/process-metrics.js';

/**
 * State of the network at one scrape. `status`, `state` and `unsettled` are undefined if the store that they come from
 * does not answer.
 */
export interface NetworkStatus {
  readonly isLogUp: boolean;
  readonly isLogFull: boolean;
  readonly isDatabaseFull: boolean;
  readonly status: ProjectionStatus | undefined;
  /** The published read models; null: nothing is published yet. */
  readonly state: PublicationState | null | undefined;
  /** Number of restrictions that are prepared or accepted, but not finalized. */
  readonly unsettled: number | undefined;
  /** Tables with bytes of erased data in their files; undefined: unknown. */
  readonly rewrites: readonly PendingRewrite[] | undefined;
  /** Numbers of cases by state; undefined: unknown. */
  readonly cases: OpenCases | undefined;
  /** Numbers of cases beyond their target age; undefined: unknown. */
  readonly oldCases: OldCases | undefined;
  /** Reason why this process refuses reads; undefined: it does not. */
  readonly unproven: string | undefined;
  /** True if this process compared log and witness since its start, or refuses reads until then. */
  readonly isLogCompared: boolean;
  readonly job: JobGauges | undefined;
}

export interface JobGauges {
  readonly kind: string;
  readonly state: string;
  readonly done: number;
  readonly total: number | null;
}

/** Gauges of the network, beside the metrics of the process that reports them. */
export class Metrics {
  private readonly up = this.gauge(
    'store_up',
    '1 if the store answers; for the log, if it accepts appends.',
    'store',
  );
  private readonly full = this.gauge('log_disk_full', '1 if the disk of the log is full.');
  private readonly databaseFull = this.gauge('database_disk_full', '1 if the disk of Postgres is full.');
  private readonly state = this.gauge(
    'read_models',
    'State of the read models: 1 for the current state.',
    'state',
  );
  private readonly quarantine = this.gauge(
    'quarantine_info',
    'Reason of the quarantine, in which all reads are refused.',
    'reason',
  );
  private readonly unproven = this.gauge('unproven_info', 'Reason why this process refuses reads.', 'reason');
  private readonly logCompared = this.gauge(
    'log_compared',
    '1 if this process compared log and witness since its start, or refuses reads until then.',
  );
  private readonly incarnation = this.gauge('incarnation_info', 'The published incarnation.', 'incarnation');
  private readonly epoch = this.gauge(
    'witness_epoch',
    'Newest restriction of the witness that the read models show.',
  );
  private readonly unsettled = this.gauge(
    'unsettled_restrictions',
    'Restrictions that are prepared or accepted, but not finalized.',
  );
  private readonly pendingTables = this.gauge(
    'erasure_pending_tables',
    'Tables whose files still have bytes of erased data, by what they wait for.',
    'state',
  );
  private readonly pendingSeconds = this.gauge(
    'erasure_pending_seconds',
    'Age of the oldest request to remove bytes of erased data from the files of Postgres; 0 without one.',
  );
  private readonly openCases = this.gauge(
    'open_cases',
    'Cases that wait for operators: not claimed, claimed, or with an appeal.',
    'state',
  );
  private readonly oldCases = this.gauge(
    'old_cases',
    'Undecided cases older than the target age of their severity.',
    'severity',
  );
  private readonly position = this.gauge(
    'projection_position',
    'Position of the newest applied event.',
    'projection',
  );
  private readonly lag = this.gauge(
    'projection_lag_bytes',
    'Bytes of the log that the projection has not applied yet.',
    'projection',
  );
  private readonly stopped = this.gauge(
    'projection_stopped_info',
    'Reason why the projection stopped.',
    'projection',
    'reason',
  );
  private readonly done = this.gauge('job_done', 'Progress of the newest job.', 'kind', 'state');
  private readonly total = this.gauge(
    'job_total',
    'Total of the newest job, in the units of its progress.',
    'kind',
    'state',
  );

  constructor(private readonly process: Pick<ProcessMetrics, 'registry' | 'text'>) {}

  get contentType(): string {
    return this.process.registry.contentType;
  }

  text({
    isLogUp,
    isLogFull,
    isDatabaseFull,
    status,
    state,
    unsettled,
    rewrites,
    cases,
    oldCases,
    unproven,
    isLogCompared,
    job,
  }: NetworkStatus): Promise<string> {
    this.up.set({ store: 'read' }, state === undefined ? 0 : 1);
    this.up.set({ store: 'witness' }, unsettled === undefined ? 0 : 1);
    this.up.set({ store: 'log' }, isLogUp ? 1 : 0);
    this.full.set(isLogFull ? 1 : 0);
    this.databaseFull.set(isDatabaseFull ? 1 : 0);
    this.showState(state);
    this.unproven.reset();
    if (unproven !== undefined) this.unproven.set({ reason: unproven }, 1);
    this.logCompared.set(isLogCompared ? 1 : 0);
    this.unsettled.set(unsettled ?? NaN);
    this.showRewrites(rewrites);
    this.openCases.reset();
    for (const [of, count] of Object.entries(cases ?? {})) this.openCases.set({ state: of }, count);
    this.oldCases.reset();
    for (const [severity, count] of Object.entries(oldCases ?? {})) this.oldCases.set({ severity }, count);
    this.showProjections(status);
    for (const gauge of [this.done, this.total]) gauge.reset();
    if (job) this.done.set({ kind: job.kind, state: job.state }, job.done);
    if (job && job.total !== null) this.total.set({ kind: job.kind, state: job.state }, job.total);
    return this.process.text();
  }

  private showState(state: PublicationState | null | undefined): void {
    for (const gauge of [this.state, this.quarantine, this.incarnation]) gauge.reset();
    this.epoch.set(state ? Number(state.witnessEpoch) : NaN);
    if (state === undefined) return;
    for (const each of ['missing', 'serving', 'quarantined'])
      this.state.set({ state: each }, each === (state?.status ?? 'missing') ? 1 : 0);
    if (!state) return;
    if (state.reason !== null) this.quarantine.set({ reason: state.reason }, 1);
    this.incarnation.set({ incarnation: state.incarnation }, 1);
  }

  private showRewrites(rewrites: readonly PendingRewrite[] | undefined): void {
    for (const state of ['rewrite', 'large', 'checkpoint'] as const)
      this.pendingTables.set({ state }, rewrites?.filter((each) => each.state === state).length ?? NaN);
    this.pendingSeconds.set(rewrites ? Math.max(0, ...rewrites.map(({ seconds }) => seconds)) : NaN);
  }

  private showProjections(status: ProjectionStatus | undefined): void {
    for (const gauge of [this.position, this.lag, this.stopped]) gauge.reset();
    for (const { name: projection, position, lag, stopped } of status?.projections ?? []) {
      if (position !== null) this.position.set({ projection }, position);
      if (lag !== null) this.lag.set({ projection }, lag);
      if (stopped) this.stopped.set({ projection, reason: stopped.reason }, 1);
    }
  }

  private gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    return new Gauge({ name: `plaza_${name}`, help, labelNames, registers: [this.process.registry] });
  }
}
