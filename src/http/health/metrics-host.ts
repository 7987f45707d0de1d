import type { onRequestHookHandler } from 'fastify';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../config/loopback.js';
import { HttpRefusal } from '../server/errors.js';

/**
 * Answers scrapers alone, who address this machine, the operator API's own name or one that is configured: a page in an
 * operator's browser cannot make its own name lead here and read what is answered without a token (DNS rebinding).
 */
export function requireMetricsHost({
  operatorBaseUrl,
  metricsHosts,
}: Pick<Config, 'operatorBaseUrl' | 'metricsHosts'>): onRequestHookHandler {
  const names = new Set([new URL(operatorBaseUrl).hostname, ...metricsHosts]);
  return ({ headers }, _reply, done) => {
    const hostname = URL.parse(`http://${headers.host}/`)?.hostname;
    if (hostname !== undefined && (isLoopback(hostname) || names.has(hostname))) return done();
    done(new HttpRefusal('origin_mismatch', 'Scrape localhost, or a name that is in METRICS_HOSTS.'));
  };
}
