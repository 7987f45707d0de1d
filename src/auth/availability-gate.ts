import type { FastifyInstance } from 'fastify';
import { Fault } from './protocol/faults.js';
import { discoveryPaths, routes } from './protocol/routes.js';
import { AUTH_PREFIX } from './settings.js';

/** Resolves with a message for a person if the authorization server must refuse; undefined if it may answer. */
export type UnavailableReasonOf = () => Promise<string | undefined>;

/** Routes without personal data. Revocation is not among them: if the log lost the grant, any answer would be false. */
const alwaysAvailable: ReadonlySet<string | undefined> = new Set([
  ...[...discoveryPaths, routes.jwks].map((path) => `${AUTH_PREFIX}${path}`),
  `${discoveryPaths[1]}${AUTH_PREFIX}`,
]);

/** Checks each request to this Fastify instance and its children, after the body has arrived. */
export function rejectWhenUnavailable(server: FastifyInstance, unavailableReason: UnavailableReasonOf): void {
  server.addHook('preHandler', async ({ routeOptions }) => {
    if (alwaysAvailable.has(routeOptions.url)) return;
    const reason = await unavailableReason();
    if (reason !== undefined) throw new Fault(503, 'temporarily_unavailable', reason, { wroteNothing: true });
  });
}
