import type { FastifyInstance } from 'fastify';
import { Fault } from './rules/faults.js';
import { discoveryPaths, routes } from './rules/routes.js';
import { AUTH_PREFIX } from './settings.js';

/** Resolves with a message for a person if the authorization server must refuse; undefined if it may answer. */
export type UnavailableReasonOf = () => Promise<string | undefined>;

/**
 * Routes that answer even while sign-in is unavailable: they have no personal data. Revocation is not among them: if
 * the log lost the grant, any answer would be false.
 */
const alwaysAvailable: ReadonlySet<string | undefined> = new Set([
  ...[...discoveryPaths, routes.jwks].map((path) => `${AUTH_PREFIX}${path}`),
  `${discoveryPaths[1]}${AUTH_PREFIX}`,
]);

/**
 * Refuses requests to this Fastify instance and its children with 503 while `unavailableReason` returns a message. The
 * check of a request follows the arrival of its body.
 */
export function rejectWhenUnavailable(server: FastifyInstance, unavailableReason: UnavailableReasonOf): void {
  server.addHook('preHandler', async ({ routeOptions }) => {
    if (alwaysAvailable.has(routeOptions.url)) return;
    const reason = await unavailableReason();
    if (reason !== undefined) throw new Fault(503, 'temporarily_unavailable', reason, { wroteNothing: true });
  });
}
