import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ProjectionStatus } from '../../../projections/runner/projection-status.js';
import type { PublicationState } from '../../incarnations/recovery-state.js';

/** What a scrape finds of the whole network; undefined: who had to be asked does not answer. */
export interface Findings {
  /** It takes appends. */
  readonly isLogUp: boolean;
  readonly isLogFull: boolean;
  readonly status: ProjectionStatus | undefined;
  /** Null: nothing was published yet. */
  readonly state: PublicationState | null | undefined;
  /** Restrictions that are prepared or accepted, and not settled. */
  readonly unsettled: number | undefined;
  /** Why this process may show nobody what is published. */
  readonly unproven: string | undefined;
  /** Whether this process has compared log and witness since it started, or refuses reads until it has. */
  readonly isLogCompared: boolean;
  readonly job: JobProgress | undefined;
}

/** The newest work on read models that an operator asked for. */
export interface JobProgress {
  readonly kind: string;
  readonly state: string;
  readonly done: number;
  readonly total: number | null;
}

/** Metrics of this process and of the network as it sees it, in the Prometheus text format. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly up = this.gauge('store_up', 'Whether a store answers; of the log: takes writes.', 'store');
  private readonly full = this.gauge('log_disk_full', 'Whether the disk of the log is full.');
  private readonly state = this.gauge(
    'read_models',
    'How reads are admitted: 1 for the state that is.',
    'state',
  );
  private readonly quarantine = this.gauge('quarantine_info', 'Why reads are refused, in words.', 'reason');
  private readonly unproven = this.gauge(
    'unproven_info',
    'Why this process refuses reads, in words.',
    'reason',
  );
  private readonly logCompared = this.gauge(
    'log_compared',
    'Whether log and witness were compared since this process started, or reads are refused until they are.',
  );
  private readonly incarnation = this.gauge('incarnation_info', 'What is published.', 'incarnation');
  private readonly epoch = this.gauge(
    'witness_epoch',
    'Restrictions of the witness that the read models show.',
  );
  private readonly unsettled = this.gauge(
    'unsettled_restrictions',
    'Prepared or accepted, not finalized yet.',
  );
  private readonly position = this.gauge('projection_position', 'Position that was applied.', 'projection');
  private readonly lag = this.gauge('projection_lag_bytes', 'Log still to be gone through.', 'projection');
  private readonly stopped = this.gauge(
    'projection_stopped_info',
    'Why one stands still.',
    'projection',
    'reason',
  );
  private readonly done = this.gauge('job_done', 'How far the newest job came.', 'kind', 'state');
  private readonly total = this.gauge('job_total', 'How far the newest job has to come.', 'kind', 'state');

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The text of one scrape. */
  text({
    isLogUp,
    isLogFull,
    status,
    state,
    unsettled,
    unproven,
    isLogCompared,
    job,
  }: Findings): Promise<string> {
    this.up.set({ store: 'read' }, state === undefined ? 0 : 1);
    this.up.set({ store: 'witness' }, unsettled === undefined ? 0 : 1);
    this.up.set({ store: 'log' }, isLogUp ? 1 : 0);
    this.full.set(isLogFull ? 1 : 0);
    this.showState(state);
    this.unproven.reset();
    if (unproven !== undefined) this.unproven.set({ reason: unproven }, 1);
    this.logCompared.set(isLogCompared ? 1 : 0);
    this.unsettled.set(unsettled ?? NaN);
    this.showProjections(status);
    for (const gauge of [this.done, this.total]) gauge.reset();
    if (job) this.done.set({ kind: job.kind, state: job.state }, job.done);
    if (job && job.total !== null) this.total.set({ kind: job.kind, state: job.state }, job.total);
    return this.registry.metrics();
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

  private showProjections(status: ProjectionStatus | undefined): void {
    for (const gauge of [this.position, this.lag, this.stopped]) gauge.reset();
    for (const { name: projection, position, lag, stopped } of status?.projections ?? []) {
      if (position !== null) this.position.set({ projection }, position);
      if (lag !== null) this.lag.set({ projection }, lag);
      if (stopped) this.stopped.set({ projection, reason: stopped.reason }, 1);
    }
  }

  private gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    return new Gauge({ name: `plaza_${name}`, help, labelNames, registers: [this.registry] });
  }
}
