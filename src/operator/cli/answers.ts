import { z } from 'zod';

/** What the operator API answers, as the command line understands it. Times are Unix milliseconds. */

export const registered = z.object({ clientId: z.string(), clientSecret: z.string() });

export const created = z.object({ actorId: z.string() });

/** False: it was so before. */
export const changed = z.object({ changed: z.boolean() });

/** `revision`: the lifecycle revision that it is at now. */
export const turned = changed.extend({ revision: z.number() });

/** `erasesAt`: when the account is to be erased, if that is later. */
export const erased = turned.extend({ erasesAt: z.number().optional() });

export const rotatedSecret = registered.extend({ previousUntil: z.number() });

export const revoked = z.object({ revoked: z.number() });

export const applications = z.array(
  z.object({
    clientId: z.string(),
    name: z.string(),
    state: z.enum(['active', 'suspended']),
    scopes: z.array(z.string()),
    redirectUris: z.array(z.string()),
    postLogoutRedirectUris: z.array(z.string()),
    /** Null: not known (yet). */
    registeredAt: z.number().nullable(),
    grants: z.number(),
  }),
);

export const signingKeys = z.array(
  z.object({
    kid: z.string(),
    state: z.enum(['next', 'signing', 'retired']),
    /** Null: with the network. */
    signsFrom: z.number().nullable(),
    /** Null: it is not retired. */
    publishedUntil: z.number().nullable(),
  }),
);

export const rotatedKey = changed.extend({ kid: z.string(), signsFrom: z.number() });

export const auditPage = z.object({
  events: z.array(z.looseObject({ position: z.number(), type: z.string() })),
  /** Null: that was all. */
  next: z.number().nullable(),
  behind: z.boolean(),
});

const projection = z.object({
  name: z.string(),
  version: z.number(),
  /** Null: nothing is applied yet. */
  position: z.number().nullable(),
  /** Null: the log does not answer, or is not the one that was applied. */
  lag: z.number().nullable(),
  stopped: z
    .object({ reason: z.string(), position: z.number().nullable(), eventId: z.string().nullable() })
    .optional(),
});

export const projectionStatus = z.object({
  incarnation: z.string().nullable(),
  /** Why nobody is shown it; null: it is shown. */
  quarantine: z.string().nullable(),
  projections: z.array(projection),
});

export const begunBackup = z.object({
  backupId: z.string(),
  networkId: z.string(),
  at: z.number(),
  /** Of the event that says so: the copy of the log ends with it. */
  position: z.string(),
  /** Of Plaza. */
  version: z.string(),
});
