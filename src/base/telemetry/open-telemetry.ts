import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { ProcessMetrics } from './process-metrics.js';
import { Telemetry } from './telemetry.js';

export interface TelemetryOptions {
  readonly config: Pick<Config, 'otlpEndpoint'>;
  readonly service: string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** Loads OpenTelemetry's SDK only if traces are exported: it would cost every start memory and time. */
export async function openTelemetry({ config, service, logger }: TelemetryOptions): Promise<Telemetry> {
  const { otlpEndpoint: endpoint } = config;
  if (endpoint === undefined) return new Telemetry();
  const { openOtlpTracer } = await import('./otlp-tracer.js');
  return new Telemetry(new ProcessMetrics(), openOtlpTracer({ endpoint, service, logger }));
}
