import { Failure } from '../../../base/terminal/failure.js';
import { applicationWith, reasonOf } from './acts.js';
import type { TownActs } from './acts.js';
import type { DemoNetwork } from './network.js';
import { townFileIn } from './town-file.js';
import type { Town, TownApplication } from './town-file.js';

/** The reference application, as its README registers it. */
export const APPLICATION = {
  name: 'Fountain',
  scopes: [
    'openid',
    'offline_access',
    'read',
    'post:create',
    'post:edit',
    'post:delete',
    'relation:write',
    'block:read',
    'block:write',
    'inbox:write',
    'profile:write',
    'report:create',
  ],
} as const;

const addressesAt = (port: number) => ({
  redirectUris: [`http://localhost:${port}/callback`],
  postLogoutRedirectUris: [`http://localhost:${port}/`],
});

/** Registers the application of the town, or changes its addresses if it has another port now. */
export async function readyApplication(
  { config: { baseUrl, dataDir, referenceAppPort: port } }: DemoNetwork,
  acts: TownActs,
  town: Town,
): Promise<TownApplication> {
  const reason = reasonOf(town);
  const application = town.application ?? (await recoverRegistration(acts, reason));
  if (!application) {
    const registration = { ...APPLICATION, ...addressesAt(port), reason };
    return { ...(await acts.call('POST /operator/applications', registration)), port };
  }
  await requireKnown(application, baseUrl, townFileIn(dataDir));
  if (application.port !== port) {
    const change = { id: application.clientId, ...addressesAt(port), reason };
    await acts.call('POST /operator/applications/:id/update', change);
  }
  return { ...application, port };
}

/**
 * Finds the application of a run that ended between its registration and {@link writeTown}. It gets a new secret, as the
 * network tells each once. Its addresses may be those of another port.
 */
async function recoverRegistration(acts: TownActs, reason: string): Promise<TownApplication | undefined> {
  const id = await applicationWith(acts, reason);
  if (id === undefined) return undefined;
  const rotation = { id, overlapMs: 0, reason };
  const { clientId, clientSecret } = await acts.call(
    'POST /operator/applications/:id/rotate-secret',
    rotation,
  );
  return { clientId, clientSecret, port: 0 };
}

/** A network of the same directory may be another one by now. */
async function requireKnown({ clientId, clientSecret }: TownApplication, baseUrl: string, file: string) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const response = await fetch(`${baseUrl}/api/auth/oauth2/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token: 'none' }),
  }).catch((cause: unknown) => {
    throw new Failure(`no network answers at ${baseUrl}; start one with npm start`, { cause });
  });
  if (response.status !== 401) return;
  throw new Failure(
    `the network at ${baseUrl} does not know the application in ${file}, or has suspended it: ` +
      `reinstate it (plaza app reinstate ${clientId}); or, if this is another network by now, forget it (plaza demo --remove)`,
  );
}
