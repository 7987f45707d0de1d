import { z } from 'zod';
import { clear, event, id, inData, omitted, time } from '../event.js';
import type { EventIn } from '../event.js';

const application = { appId: clear(id) };
const ofApplication = event(application);

export const applicationEvents = {
  'application.registered': event(
    {
      ...application,
      name: omitted(z.string()),
      redirectUris: omitted(z.array(z.string())),
      postLogoutRedirectUris: omitted(z.array(z.string())),
      scopes: inData(z.array(z.string())),
    },
    { upcasters: [(first) => ({ ...first, postLogoutRedirectUris: [] })] },
  ),
  'application.suspended': ofApplication,
  'application.reinstated': ofApplication,
  /** The event does not hold the secret. Previous secrets stay valid until `previousUntil` (Unix ms) at most. */
  'application.secret_rotated': event({ ...application, previousUntil: inData(time) }),
  /**
   * All that holds afterwards, so the newest one suffices. It has a stream of its own, since the release before reads that of
   * the application whole.
   */
  'application.changed': event({
    ...application,
    name: omitted(z.string()),
    redirectUris: omitted(z.array(z.string())),
    postLogoutRedirectUris: omitted(z.array(z.string())),
    scopes: inData(z.array(z.string())),
    /** The fields that differ from before. */
    changed: inData(z.array(z.enum(['name', 'redirectUris', 'postLogoutRedirectUris', 'scopes']))),
    /** Grants with one of these end. */
    removedScopes: inData(z.array(z.string())),
    /** Names of the last 30 days, the newest first. `until`: Unix ms. */
    formerNames: omitted(z.array(z.strictObject({ name: z.string(), until: time }))),
  }),
};

export type ApplicationRegistered = EventIn<typeof applicationEvents, 'application.registered'>;
export type ApplicationSuspended = EventIn<typeof applicationEvents, 'application.suspended'>;
export type ApplicationReinstated = EventIn<typeof applicationEvents, 'application.reinstated'>;
export type ApplicationChanged = EventIn<typeof applicationEvents, 'application.changed'>;
export type ApplicationSecretRotated = EventIn<typeof applicationEvents, 'application.secret_rotated'>;
