import { fastify } from 'fastify';
import type { Logger } from 'pino';
import { ConfigError } from '../../../base/config/config.js';
import type { Config } from '../../../base/config/config.js';
import { limits } from '../../../base/config/limit-settings.js';
import { Health } from '../../../server/health/health.js';
import { arrivalDeadline } from '../../../server/arrival-deadline.js';
import { sendError } from '../../../server/error.filter.js';
import { requireMetricsHost } from '../../../server/health/metrics-host.js';
import { mountProbeRoutes } from '../../../server/health/probes.js';
import { storePool } from '../../../base/store/store-client.js';
import type { ProcessMetrics } from '../../../base/telemetry/process-metrics.js';
import { workerChecks } from './worker-checks.js';
import type { WorkerCheckOptions } from './worker-checks.js';
import { WorkerMetrics } from './worker-metrics.js';

const DATABASE_MS = 1_500;

export interface ProbeOptions extends Omit<WorkerCheckOptions, 'pool'> {
  readonly config: Pick<Config, 'operatorHost' | 'operatorBaseUrl' | 'metricsPort' | 'metricsHosts'>;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly metrics: ProcessMetrics;
}

/**
 * Serves `/livez`, `/readyz` and `/metrics` of a worker on `METRICS_PORT` from its start, also while its stores are
 * unreachable. Serves nothing without that port.
 * @throws {ConfigError} The port is not available.
 */
export async function serveProbes(options: ProbeOptions): Promise<{ close(): Promise<void> }> {
  const { config, databaseUrl, logger, groups } = options;
  const { operatorHost: host, metricsPort: port } = config;
  if (port === undefined) return { close: () => Promise.resolve() };
  const pool = storePool({
    connectionString: databaseUrl,
    application_name: 'plaza-projector',
    max: 1,
    connectionTimeoutMillis: DATABASE_MS,
    query_timeout: DATABASE_MS,
  });
  const metrics = new WorkerMetrics(options.metrics, groups);
  const server = fastify({ forceCloseConnections: true, ...arrivalDeadline(limits.connections) });
  server.setErrorHandler(sendError);
  mountProbeRoutes(server, new Health(workerChecks({ ...options, pool }), logger));
  server.get('/metrics', { onRequest: requireMetricsHost(config) }, async (_request, reply) => {
    void reply.type(metrics.contentType);
    return metrics.text();
  });
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`METRICS_PORT: nothing can listen on ${host}:${port} here (${code})`]);
  }
  return {
    async close() {
      await server.close();
      await pool.end();
    },
  };
}
