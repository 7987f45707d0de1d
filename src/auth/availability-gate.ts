import type { FastifyInstance } from 'fastify';
import { Fault } from './protocol/faults.js';
import { discoveryPaths, routes } from './protocol/routes.js';
import { AUTH_PREFIX } from './settings.js';

/** Why nobody may sign in or use what they were given, in words for a person; undefined: they may. */
export type UnavailableReasonOf = () => Promise<string | undefined>;

/** What tells nothing of anybody. Not what takes away: of what a log has lost "done" would be as untrue as "there is none". */
const alwaysOpen: ReadonlySet<string | undefined> = new Set([
  ...[...discoveryPaths, routes.jwks].map((path) => `${AUTH_PREFIX}${path}`),
  `${discoveryPaths[1]}${AUTH_PREFIX}`,
]);

/** Asks before each request to what is registered on this instance and below it is carried out, once all of it has come. */
export function rejectWhenUnavailable(server: FastifyInstance, whyClosed: UnavailableReasonOf): void {
  server.addHook('preHandler', async ({ routeOptions }) => {
    if (alwaysOpen.has(routeOptions.url)) return;
    const why = await whyClosed();
    if (why !== undefined) throw new Fault(503, 'temporarily_unavailable', why, { wroteNothing: true });
  });
}
