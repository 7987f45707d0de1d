import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { plazaVersion } from '../config/version.js';
import { endsWithin } from '../support/sleep.js';
import { ReportingExporter } from './reporting-exporter.js';
import type { OpenSpan, SpanOptions, Tracer } from './tracer.js';

const CLOSE_MS = 2_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

export interface OtlpOptions {
  /** Base URL of the collector; spans go to `v1/traces` below it. */
  readonly endpoint: string;
  readonly service: string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Exports spans over OTLP. The SDK reads its other settings itself, like OTEL_TRACES_SAMPLER and
 * OTEL_EXPORTER_OTLP_HEADERS. A client's `traceparent` is ignored: a client must not choose what is sampled.
 */
export function openOtlpTracer({ endpoint, service, logger }: OtlpOptions): Tracer {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const exporter = new ReportingExporter(new OTLPTraceExporter({ url }), logger);
  const own = resourceFromAttributes({ 'service.name': service, 'service.version': plazaVersion() });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('plaza');
  const current = new AsyncLocalStorage<Opened>();
  return {
    start({ name, kind, attributes = {}, needsParent = false }: SpanOptions): OpenSpan | undefined {
      const around = current.getStore();
      // Work that a request began and that outlives it is not added to the trace of the request.
      const parent = around?.isEnded ? undefined : around?.span;
      if (needsParent && !parent) return undefined;
      const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: mutable(attributes) }, context);
      const opened: Opened = { span, isEnded: false };
      return { run: (work) => current.run(opened, work), end: (...how) => end(opened, ...how) };
    },
    close: async () => {
      await endsWithin(
        CLOSE_MS,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
}

interface Opened {
  readonly span: Span;
  isEnded: boolean;
}

function end(opened: Opened, errorType?: string, attributes: SpanOptions['attributes'] = {}): void {
  const { span } = opened;
  opened.isEnded = true;
  span.setAttributes(mutable(attributes));
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

const mutable = (attributes: NonNullable<SpanOptions['attributes']>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
