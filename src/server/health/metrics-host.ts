import type { onRequestHookHandler } from 'fastify';
import type { Config } from '../../base/config/config.js';
import { isLoopbackHost } from '../../base/config/loopback.js';
import { HttpRefusal } from '../errors.js';
import { urlOfHost } from '../network-origin.js';

/**
 * Admits a scrape of the metrics only if its Host is a loopback name, the name of the operator API or one in
 * METRICS_HOSTS. Against DNS rebinding: a page in an operator's browser could otherwise read metrics, which need no
 * token.
 */
export function requireMetricsHost({
  operatorBaseUrl,
  metricsHosts,
}: Pick<Config, 'operatorBaseUrl' | 'metricsHosts'>): onRequestHookHandler {
  const names = new Set([new URL(operatorBaseUrl).hostname, ...metricsHosts]);
  return ({ headers }, _reply, done) => {
    const hostname = urlOfHost('http:', headers.host ?? '')?.hostname;
    if (hostname !== undefined && (isLoopbackHost(hostname) || names.has(hostname))) return done();
    done(new HttpRefusal('origin_mismatch', 'Scrape localhost, or a name that is in METRICS_HOSTS.'));
  };
}
