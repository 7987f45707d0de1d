import { z } from 'zod';

/** Answers of the operator API as the command line reads them. Times are Unix milliseconds. */

export const registeredAnswer = z.object({ clientId: z.string(), clientSecret: z.string() });

export const createdAnswer = z.object({ actorId: z.string() });

export const changedAnswer = z.object({ changed: z.boolean() });

export const lifecycleChanged = changedAnswer.extend({ revision: z.number() });

const pendingRewrite = z.object({
  store: z.string(),
  table: z.string(),
  state: z.enum(['rewrite', 'large', 'checkpoint']),
  seconds: z.number(),
});

export type PendingRewrite = z.infer<typeof pendingRewrite>;

/** `pending` and `largeTablesAt`: of an erasure at once; an hour in UTC. The release before has neither. */
export const erased = lifecycleChanged.extend({
  erasesAt: z.number().optional(),
  pending: z.array(pendingRewrite).optional(),
  largeTablesAt: z.union([z.number(), z.literal('off')]).optional(),
});

export const rotatedSecret = registeredAnswer.extend({ previousUntil: z.number() });

export const revokedAnswer = z.object({ revoked: z.number() });

export const applications = z.array(
  z.object({
    clientId: z.string(),
    name: z.string(),
    state: z.enum(['active', 'suspended']),
    scopes: z.array(z.string()),
    redirectUris: z.array(z.string()),
    postLogoutRedirectUris: z.array(z.string()),
    registeredAt: z.number().nullable(),
    grants: z.number(),
  }),
);

export const signingKeys = z.array(
  z.object({
    kid: z.string(),
    state: z.enum(['next', 'signing', 'retired']),
    signsFrom: z.number().nullable(),
    publishedUntil: z.number().nullable(),
  }),
);

export const registrationState = z.object({ isOpen: z.boolean(), by: z.enum(['operator', 'setting']) });

export const rotatedKey = changedAnswer.extend({ kid: z.string(), signsFrom: z.number() });

const text = z.string().nullable();

export const auditEntry = z.object({
  position: z.number(),
  revision: z.number(),
  eventId: z.string(),
  at: z.number(),
  type: z.string(),
  stream: z.string(),
  subject: z.record(z.string(), z.string()),
  actorId: text,
  appId: text,
  grantId: text,
  intentId: text,
  requestId: z.string(),
  clientRequestId: text,
  addressClass: text,
  operatorId: text,
  operator: text,
  reason: text,
  cause: text,
  text: z.string().optional(),
  erased: z.boolean().optional(),
  undisclosed: z.boolean().optional(),
});

const disclosedText = z.object({
  eventId: z.string(),
  type: z.string(),
  at: z.number(),
  actorId: z.string(),
  postId: text,
  erased: z.boolean(),
  texts: z.record(z.string(), z.unknown()),
});

export const disclosedTexts = z.object({ disclosed: z.array(disclosedText) });

export type DisclosedText = z.infer<typeof disclosedText>;

export type AuditEntry = z.infer<typeof auditEntry>;

const batchOutcome = z.object({ changed: z.number(), skipped: z.array(z.string()) });

export const listedBatch = z.object({
  batchId: z.string(),
  kind: z.string(),
  appId: text,
  items: z.number(),
  done: z.number(),
  state: z.enum(['applying', 'applied', 'undoing', 'undone']),
  operatorId: text,
  operatorName: text,
  reason: text,
  requestedAt: z.number(),
});

export const batchStatus = listedBatch.extend({
  applied: batchOutcome.extend({ recused: z.array(z.string()) }).nullable(),
  /** An API of the release before does not have it. */
  undo: listedBatch
    .pick({ operatorId: true, operatorName: true, reason: true, requestedAt: true })
    .nullable()
    .default(null),
  undone: batchOutcome.nullable(),
});

export type ListedBatch = z.infer<typeof listedBatch>;
export type BatchStatus = z.infer<typeof batchStatus>;

export const batchPreview = z.object({
  kind: z.string(),
  items: z.number(),
  first: z.array(z.string()),
  left: z.array(z.string()),
  recused: z.array(z.string()),
  digest: z.string(),
  from: z.number().optional(),
  until: z.number().optional(),
});

export type BatchPreview = z.infer<typeof batchPreview>;

export const auditPage = z.object({
  events: z.array(auditEntry),
  applications: z.record(z.string(), z.string()),
  operators: z.record(z.string(), z.string()),
  hasTexts: z.boolean(),
  q: z.string(),
  next: text,
  position: z.number().nullable(),
  upTo: z.number().nullable(),
  lag: z.number().nullable(),
});

const acts = z.record(z.string(), z.number());

export const applicationImpact = z.object({
  actors: z.number(),
  acts,
  first: z.number().nullable(),
  last: z.number().nullable(),
  hours: z.array(z.object({ hour: z.number(), actors: z.number(), acts })),
  mostActive: z.array(z.object({ actorId: z.string(), events: z.number() })),
});

export const operators = z.array(
  z.object({
    operatorId: z.string(),
    name: z.string(),
    state: z.enum(['invited', 'active', 'suspended']),
    roles: z.array(z.string()),
    invitedAt: z.number(),
    invitationExpiresAt: z.number().nullable(),
    needsConfirmation: z.boolean(),
    sameNameAs: z.array(z.string()),
    tokens: z.array(
      z.object({
        tokenId: z.string(),
        label: z.string(),
        issuedAt: z.number(),
        expiresAt: z.number(),
        revokedAt: z.number().nullable(),
        lastUsedOn: z.string().nullable(),
      }),
    ),
    passkeys: z.array(
      z.object({
        passkeyId: z.string(),
        label: z.string(),
        registeredAt: z.number(),
        removedAt: z.number().nullable(),
        lastUsedOn: z.string().nullable(),
      }),
    ),
  }),
);

export const invitedOperator = z.object({
  operatorId: z.string(),
  invitationCode: z.string(),
  expiresAt: z.number(),
  link: z.string(),
});

export const passkeyLink = z.object({ link: z.string(), expiresAt: z.number() });

export const signedOut = z.object({ at: z.number() });

export const issuedToken = z.object({ tokenId: z.string(), token: z.string(), expiresAt: z.number() });

export const enrolledOperator = issuedToken.extend({ operatorId: z.string() });

const projection = z.object({
  name: z.string(),
  version: z.number(),
  position: z.number().nullable(),
  /**
   * Bytes of the log that the projection has not applied yet. Null: the log does not answer, or is not the applied one.
   */
  lag: z.number().nullable(),
  stopped: z
    .object({ reason: z.string(), position: z.number().nullable(), eventId: z.string().nullable() })
    .optional(),
});

export const projectionStatus = z.object({
  incarnation: z.string().nullable(),
  /** Reason of the quarantine; null: the network is not in quarantine. */
  quarantine: z.string().nullable(),
  projections: z.array(projection),
});

export const begunBackup = z.object({
  backupId: z.string(),
  networkId: z.string(),
  at: z.number(),
  /** Position of the event that records the start of the backup, the last one in the copied log. */
  position: z.string(),
  version: z.string(),
});

export const decryptedFields = z.object({
  fields: z.array(z.record(z.string(), z.unknown()).nullable()),
});

export const recordedExport = z.object({ exportId: z.string() });

export const resolvedId = z.object({ kind: z.string(), id: z.string(), name: z.string().nullish() });
