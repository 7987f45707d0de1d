import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { diskFree } from './disk-free.js';

/** Boundaries of histograms in seconds, as OpenTelemetry's conventions advise for requests and SQL statements. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const STATEMENT_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
/** Boundaries in seconds: an append waits for one `fsync`, and gives up after 5 seconds. */
const APPEND_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * The counters and histograms of one process, with those of Node. Every label has a closed set of values: route
 * templates, names of commands, published codes. No label has an identifier (docs/metrics.md).
 */
export class ProcessMetrics {
  readonly registry = new Registry();
  readonly requests = this.histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer; of an event stream, to its headers.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: REQUEST_SECONDS,
  });
  readonly refusals = new Counter({
    name: 'plaza_refusals_total',
    help: 'Answers with a published error code; of a refused write, whether it was stored.',
    labelNames: ['code', 'written'],
    registers: [this.registry],
  });
  readonly shed = new Counter({
    name: 'plaza_shed_requests_total',
    help: 'Requests that were refused before any work, since too many of their class were in work.',
    labelNames: ['request_class', 'http_request_method'],
    registers: [this.registry],
  });
  readonly signIns = new Counter({
    name: 'plaza_sign_ins_total',
    help: 'Passwords that people entered to sign in, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly commands = this.histogram({
    name: 'plaza_command_duration_seconds',
    help: 'Time of a command, its appends included.',
    labelNames: ['command', 'outcome'],
    buckets: REQUEST_SECONDS,
  });
  readonly appends = this.histogram({
    name: 'plaza_log_append_duration_seconds',
    help: 'Time until an append is durable, or has failed.',
    labelNames: ['outcome'],
    buckets: APPEND_SECONDS,
  });
  readonly proofs = new Counter({
    name: 'plaza_log_proofs_total',
    help: 'Proofs of the leader that commands without an append asked for, by outcome; one for all that ask at once.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly witnessSteps = this.histogram({
    name: 'plaza_witness_step_duration_seconds',
    help: 'Time of one step of the witness for a restriction.',
    labelNames: ['step', 'outcome'],
    buckets: APPEND_SECONDS,
  });
  readonly statements = this.histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Time of an SQL statement, without the wait for a connection.',
    labelNames: ['store', 'db_operation_name', 'error_type'],
    buckets: STATEMENT_SECONDS,
  });
  readonly batches = this.histogram({
    name: 'plaza_projection_batch_duration_seconds',
    help: 'Time to apply a batch of events to the projections of a group.',
    labelNames: ['group', 'outcome'],
    buckets: REQUEST_SECONDS,
  });

  private hasMetricsOfNode = false;

  /**
   * All metrics, in the format of Prometheus. Those of Node begin with the first scrape: to measure the event loop, its library
   * wakes an idle process a hundred times a second.
   */
  text(): Promise<string> {
    if (!this.hasMetricsOfNode) collectDefaultMetrics({ register: this.registry });
    this.hasMetricsOfNode = true;
    return this.registry.metrics();
  }

  reportDisk(directory: string): void {
    diskFree(this.registry, directory);
  }

  private histogram<Label extends string>(options: {
    readonly name: string;
    readonly help: string;
    readonly labelNames: Label[];
    readonly buckets: number[];
  }): Histogram<Label> {
    return new Histogram({ ...options, registers: [this.registry] });
  }
}
