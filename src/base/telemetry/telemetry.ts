import type { Histogram, LabelValues } from 'prom-client';
import { ProcessMetrics } from './process-metrics.js';
import type { OpenSpan, SpanOptions, Tracer } from './tracer.js';

export interface Operation<Label extends string> {
  readonly histogram: Histogram<Label>;
  readonly labels: (error: unknown) => LabelValues<Label>;
  /** Called only if traces are exported. */
  readonly span: () => SpanOptions;
}

/** Ends an observation, once; with the error if the operation failed. */
export type End = (error?: unknown) => void;

/**
 * The metrics and traces of one process. The observed code does not know it: each seam is a wrapper, put on where the
 * process is composed (docs/adr/0023-telemetry.md).
 */
export class Telemetry {
  constructor(
    readonly metrics = new ProcessMetrics(),
    private readonly tracer?: Tracer,
  ) {}

  get hasTraces(): boolean {
    return this.tracer !== undefined;
  }

  startSpan(options: () => SpanOptions): OpenSpan | undefined {
    return this.tracer?.start(options());
  }

  async observe<Label extends string, Result>(
    operation: Operation<Label>,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const { span, end } = this.begin(operation);
    try {
      const result = await (span ? span.run(run) : run());
      end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  /** Begins the observation of an operation that is not one promise: `end` must be called when it has ended. */
  begin<Label extends string>({
    histogram,
    labels,
    span: options,
  }: Operation<Label>): {
    readonly span: OpenSpan | undefined;
    readonly end: End;
  } {
    const span = this.startSpan(options);
    const startedAt = performance.now();
    return {
      span,
      end: (error) => {
        histogram.observe(labels(error), (performance.now() - startedAt) / 1_000);
        span?.end(error === undefined ? undefined : errorType(error));
      },
    };
  }

  async close(): Promise<void> {
    await this.tracer?.close();
  }
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
