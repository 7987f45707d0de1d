import { renameSync, writeFileSync } from 'node:fs';
import { LogUnavailable } from '../../log/event-log.js';
import type { UndecodedLog } from '../../log/event-log.js';
import { readCompleteUntil, writeCompleteUntil } from '../data-set/complete-until.js';
import type { DataSet } from '../data-set/data-set.js';
import { summaryOf } from '../data-set/status.js';

export interface FreshnessOptions {
  readonly now: () => number;
  /** File for the collector of textfiles of Prometheus' node exporter. */
  readonly metricsFile?: string | undefined;
}

/** Records the newest moment up to which the data set has every event of the log, so that an export that stands still is noticed. */
export class Freshness {
  private awaited: { readonly position: bigint; readonly at: number } | undefined;

  constructor(
    private readonly log: Pick<UndecodedLog, 'head'>,
    private readonly dataSet: DataSet,
    private readonly options: FreshnessOptions,
  ) {}

  /** The data set has every event that the log had at this moment. */
  isComplete(at: number): void {
    writeCompleteUntil(this.dataSet.dir, this.dataSet.state, at);
    this.dataSet.tellState();
    this.writeMetrics();
  }

  /**
   * Asks the log for its newest event, and remembers the moment until the data set has that event. A log that does not answer
   * is left to the reading of its events.
   */
  async check(): Promise<void> {
    try {
      this.awaited ??= { at: this.options.now(), position: (await this.log.head()) ?? -1n };
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      return;
    }
    const { position, at } = this.awaited;
    if (BigInt(this.dataSet.state.checkpoint?.position ?? -1) < position) return;
    this.awaited = undefined;
    this.isComplete(at);
  }

  private writeMetrics(): void {
    const { metricsFile } = this.options;
    if (metricsFile === undefined) return;
    const { events, position, committedAt } = summaryOf(this.dataSet.state);
    const seconds = (at: number) => at / 1000;
    const gauges: readonly (readonly [name: string, help: string, value: number])[] = [
      [
        'complete_until_seconds',
        'Unix time up to which the data set has every event of the log.',
        seconds(readCompleteUntil(this.dataSet.dir, this.dataSet.state) ?? 0),
      ],
      ['committed_seconds', 'Unix time of the newest commit.', seconds(Date.parse(committedAt))],
      ['events', 'Events in the files of the data set.', events],
      ['position', 'Position in the log of the newest exported event.', position ?? 0],
    ];
    const text = gauges.map(([name, help, value]) => {
      const metric = `plaza_analytics_${name}`;
      return `# HELP ${metric} ${help}\n# TYPE ${metric} gauge\n${metric} ${value}\n`;
    });
    // The collector reads *.prom alone.
    writeFileSync(`${metricsFile}.tmp`, text.join(''));
    renameSync(`${metricsFile}.tmp`, metricsFile);
  }
}
