import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/** Logs that a collector does not take the spans: once, and once when it does again. The SDK itself is silent. */
export class ReportingExporter implements SpanExporter {
  private hasFailed = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.report(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  private report({ error }: ExportResult): void {
    const hasFailed = error !== undefined;
    if (hasFailed && !this.hasFailed) this.logger.warn({ err: error }, 'traces not exported; spans are lost');
    if (!hasFailed && this.hasFailed) this.logger.info('traces exported again');
    this.hasFailed = hasFailed;
  }
}
