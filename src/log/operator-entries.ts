import { z } from 'zod';
import type { AnalyticsDisclosed, AnalyticsExported } from '../domain/analytics/events.js';
import type {
  AsOfOpened,
  DossierOpened,
  LookRecorded,
  OperatorNameReserved,
  OperatorSignedIn,
  OperatorSignedOut,
  TextDisclosed,
} from '../domain/operator/events.js';
import type { OperatorEvent } from '../domain/operator/operator.js';
import { roles } from '../domain/operator/roles.js';
import { at, id } from './registry-entry.js';
import type { RegistryEntries } from './registry-entry.js';

const operatorFields = z.strictObject({ operatorId: id, at });
const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,4096}$/);
const position = z.string().regex(/^\d{1,18}$/);
const operatorRoles = z.array(z.enum(roles));

export const operatorEntries: RegistryEntries<
  | OperatorEvent
  | OperatorNameReserved
  | OperatorSignedIn
  | OperatorSignedOut
  | DossierOpened
  | AsOfOpened
  | LookRecorded
  | TextDisclosed
  | AnalyticsDisclosed
  | AnalyticsExported
> = {
  'operator.invited': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({
      name: z.string(),
      roles: operatorRoles,
      invitationHash: id,
      expiresAt: at,
      needsConfirmation: z.boolean(),
    }),
    personal: { person: (data) => data.operatorId, placeholders: { name: '' } },
  },
  'operator.name_reserved': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({ revision: z.int().min(-1) }),
  },
  'operator.confirmed': { version: 1, upcasters: [], schema: operatorFields },
  'operator.enrolled': { version: 1, upcasters: [], schema: operatorFields },
  'operator.roles_changed': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({ roles: operatorRoles }),
  },
  'operator.suspended': { version: 1, upcasters: [], schema: operatorFields },
  'operator.reinstated': { version: 1, upcasters: [], schema: operatorFields },
  'operator.token_issued': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({ tokenId: id, tokenHash: id, label: z.string(), expiresAt: at }),
    personal: { person: (data) => data.operatorId, placeholders: { label: '' } },
  },
  'operator.token_revoked': { version: 1, upcasters: [], schema: operatorFields.extend({ tokenId: id }) },
  'operator.passkey_registered': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({
      passkeyId: id,
      credentialId: base64url,
      publicKey: base64url,
      transports: z.array(z.string()),
      label: z.string(),
    }),
    personal: { person: (data) => data.operatorId, placeholders: { label: '' } },
  },
  'operator.passkey_removed': { version: 1, upcasters: [], schema: operatorFields.extend({ passkeyId: id }) },
  'operator.signed_in': { version: 1, upcasters: [], schema: operatorFields.extend({ passkeyId: id }) },
  'operator.signed_out': { version: 1, upcasters: [], schema: operatorFields },
  'text.disclosed': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({ eventId: id, actorId: id, postId: id.optional() }),
  },
  'dossier.opened': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({
      actorId: id.optional(),
      appId: id.optional(),
      grantId: id.optional(),
      postId: id.optional(),
    }),
  },
  'as_of.opened': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({ actorId: id, position }),
  },
  'look.recorded': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({
      actorId: id.optional(),
      appId: id.optional(),
      grantId: id.optional(),
      postId: id.optional(),
      eventId: id.optional(),
      position: position.optional(),
    }),
  },
  'analytics.disclosed': {
    version: 1,
    upcasters: [],
    schema: operatorFields.extend({
      eventIds: z.array(id),
      actorId: id.optional(),
      postId: id.optional(),
      grantId: id.optional(),
      reportId: id.optional(),
    }),
  },
  'analytics.exported': { version: 1, upcasters: [], schema: operatorFields.extend({ exportId: id }) },
};
