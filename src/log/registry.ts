import { z } from 'zod';
import type { AccountEvent, HandleEvent } from '../domain/account/account.js';
import type { AccountSignedIn } from '../domain/account/events.js';
import type { AnalyticsDisclosed, AnalyticsExported } from '../domain/analytics/events.js';
import type { ApplicationEvent } from '../domain/application/application.js';
import type { AuditExported } from '../domain/audit/events.js';
import type { BackupPartSent } from '../domain/backup/events.js';
import type { BatchEvent } from '../domain/batch/events.js';
import type { BlockEvent } from '../domain/block/events.js';
import type { CaseEvent } from '../domain/case/case.js';
import type { ApprovalEvent } from '../domain/approval/events.js';
import type { AllowanceEvent, FourEyesEvent } from '../domain/four-eyes/events.js';
import type { GrantEvent } from '../domain/grant/grant.js';
import type { InboxRead } from '../domain/inbox/events.js';
import type { JobEvent } from '../domain/job/events.js';
import type { NetworkEvent } from '../domain/network/network.js';
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
import type { PostEvent } from '../domain/post/events.js';
import type { ProfileChanged } from '../domain/profile/events.js';
import type { RegistrationEvent } from '../domain/registration/events.js';
import type { RelationEvent } from '../domain/relation/events.js';
import type { ReportCreated } from '../domain/report/events.js';
import { reportReasons } from '../domain/report/report-reasons.js';
import { approvalEntries } from './approval-entries.js';
import { batchEntries } from './batch-entries.js';
import { caseEntries } from './case-entries.js';
import { operatorEntries } from './operator-entries.js';
import { at, id } from './registry-entry.js';
import type { RegistryEntries, RegistryEntry } from './registry-entry.js';

export type StoredEvent =
  | NetworkEvent
  | JobEvent
  | AccountEvent
  | AccountSignedIn
  | HandleEvent
  | ApplicationEvent
  | GrantEvent
  | PostEvent
  | RelationEvent
  | BlockEvent
  | ProfileChanged
  | InboxRead
  | ReportCreated
  | BackupPartSent
  | AuditExported
  | RegistrationEvent
  | BatchEvent
  | CaseEvent
  | ApprovalEvent
  | FourEyesEvent
  | AllowanceEvent
  | OperatorEvent
  | OperatorNameReserved
  | OperatorSignedIn
  | OperatorSignedOut
  | DossierOpened
  | AsOfOpened
  | LookRecorded
  | TextDisclosed
  | AnalyticsDisclosed
  | AnalyticsExported;

export type EventType = StoredEvent['type'];
export type EventOf<Type extends EventType> = Extract<StoredEvent, { type: Type }>;

const scopes = z.array(z.string());
const uris = z.array(z.string());
const accountFields = z.strictObject({ actorId: id, at });
const applicationFields = z.strictObject({ appId: id, at });
const postFields = z.strictObject({ postId: id, authorActorId: id, at });
const blockFields = z.strictObject({ actorId: id, targetActorId: id, at });
const relationFields = z.strictObject({
  kind: z.enum(['follow', 'like']),
  actorId: id,
  targetId: id,
  targetActorId: id,
  generation: z.int().positive(),
  at,
});
const grantFields = z.strictObject({ grantId: id, appId: id, actorId: id, at });

const entries: RegistryEntries<StoredEvent> = {
  'network.founded': { version: 1, upcasters: [], schema: z.strictObject({ networkId: id, at }) },
  'network.signing_key_rotated': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ keyId: id, signsFrom: at, at }),
  },
  'network.publishing_paused': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'network.publishing_resumed': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'network.backup_begun': { version: 1, upcasters: [], schema: z.strictObject({ backupId: id, at }) },
  'network.restored': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ restoreId: id, backupId: id, parts: z.array(z.string()), at }),
  },
  'network.shared_token_limited': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'network.rebuild_requested': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ jobId: id, names: z.array(z.string()), at }),
  },
  'network.recovery_applied': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ jobId: id, reseedsWitness: z.boolean(), at }),
  },
  'network.recovery_rolled_back': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ jobId: id, at }),
  },
  'job.paused': { version: 1, upcasters: [], schema: z.strictObject({ jobId: id, at }) },
  'job.resumed': { version: 1, upcasters: [], schema: z.strictObject({ jobId: id, at }) },
  'account.registered': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({
      actorId: id,
      handle: z.string(),
      displayName: z.string(),
      email: z.string(),
      at,
    }),
    personal: {
      person: (data) => data.actorId,
      placeholders: { handle: '', displayName: '', email: '' },
    },
  },
  'account.suspended': { version: 1, upcasters: [], schema: accountFields },
  'account.reinstated': { version: 1, upcasters: [], schema: accountFields },
  'account.erasure_requested': { version: 1, upcasters: [], schema: accountFields.extend({ erasesAt: at }) },
  'account.erasure_cancelled': { version: 1, upcasters: [], schema: accountFields },
  'account.erased': {
    version: 1,
    upcasters: [],
    schema: accountFields.extend({ handleDigest: id.optional(), keyId: id.optional() }),
  },
  'account.password_changed': { version: 1, upcasters: [], schema: accountFields },
  'account.signed_in': { version: 1, upcasters: [], schema: accountFields },
  'account.signed_out': { version: 1, upcasters: [], schema: accountFields },
  'handle.claimed': {
    version: 1,
    upcasters: [],
    schema: accountFields.extend({ profileRevision: z.int().positive().optional() }),
  },
  'handle.released': { version: 1, upcasters: [], schema: accountFields },
  'application.registered': {
    version: 2,
    upcasters: [(first) => ({ ...first, postLogoutRedirectUris: [] })],
    schema: z.strictObject({
      appId: id,
      name: z.string(),
      redirectUris: uris,
      postLogoutRedirectUris: uris,
      scopes,
      at,
    }),
  },
  'application.suspended': { version: 1, upcasters: [], schema: applicationFields },
  'application.reinstated': { version: 1, upcasters: [], schema: applicationFields },
  'application.secret_rotated': {
    version: 1,
    upcasters: [],
    schema: applicationFields.extend({ previousUntil: at }),
  },
  'grant.issued': {
    version: 1,
    upcasters: [],
    schema: grantFields.extend({ scopes }),
  },
  'grant.refreshed': { version: 1, upcasters: [], schema: grantFields },
  'grant.reuse_detected': {
    version: 1,
    upcasters: [],
    schema: grantFields.extend({ of: z.enum(['authorization_code', 'refresh_token']) }),
  },
  'grant.revoked': {
    version: 1,
    upcasters: [],
    schema: grantFields.extend({ cause: z.enum(['client', 'person', 'operator', 'reuse']) }),
  },
  'post.created': {
    version: 2,
    upcasters: [(first) => ({ ...first, mentions: [] })],
    schema: z.strictObject({
      postId: id,
      authorActorId: id,
      appId: id,
      text: z.string(),
      audience: z.literal('public'),
      mentions: z.array(id),
      parentId: id.optional(),
      parentAuthorActorId: id.optional(),
      rootId: id.optional(),
      at,
    }),
    personal: { person: (data) => data.authorActorId, placeholders: { text: '', mentions: [] } },
  },
  'post.edited': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({
      postId: id,
      authorActorId: id,
      appId: id,
      text: z.string(),
      mentions: z.array(id),
      revision: z.int().positive(),
      at,
    }),
    personal: { person: (data) => data.authorActorId, placeholders: { text: '', mentions: [] } },
  },
  'post.deleted': {
    version: 1,
    upcasters: [],
    schema: postFields,
  },
  'post.restricted': { version: 1, upcasters: [], schema: postFields },
  'post.unrestricted': { version: 1, upcasters: [], schema: postFields },
  'relation.established': { version: 1, upcasters: [], schema: relationFields },
  'relation.ended': {
    version: 1,
    upcasters: [],
    schema: relationFields.extend({ cause: z.enum(['actor', 'block']) }),
  },
  'block.established': { version: 1, upcasters: [], schema: blockFields },
  'block.ended': { version: 1, upcasters: [], schema: blockFields },
  'profile.changed': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({
      actorId: id,
      handle: z.string().nullable(),
      displayName: z.string(),
      bio: z.string(),
      website: z.string(),
      revision: z.int().positive(),
      at,
    }),
    personal: {
      person: (data) => data.actorId,
      placeholders: { handle: null, displayName: '', bio: '', website: '' },
    },
  },
  'inbox.read': {
    version: 1,
    upcasters: [],
    schema: z.union([
      z.strictObject({ actorId: id, ids: z.array(id), at }),
      z.strictObject({ actorId: id, upTo: at, at }),
    ]),
  },
  'report.created': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({
      reportId: id,
      reporterActorId: id,
      appId: id,
      postId: id.optional(),
      targetActorId: id,
      reason: z.enum(reportReasons),
      text: z.string(),
      at,
    }),
    personal: { person: (data) => data.reporterActorId, placeholders: { text: '' } },
  },
  'backup.part_sent': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ backupId: id, part: z.string(), at }),
  },
  'audit.exported': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ exportId: id, query: z.string(), at }),
  },
  'registration.opened': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'registration.closed': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  ...batchEntries,
  ...approvalEntries,
  ...operatorEntries,
  ...caseEntries,
};

export const eventTypes = Object.keys(entries) as readonly EventType[];

export function personalFieldsOf(type: string): readonly string[] {
  return Object.keys(registryEntryOf(type)?.personal?.placeholders ?? {});
}

/** The person whose key encrypts an event's personal fields; undefined: it has none. */
export const personOf = (event: StoredEvent): string | undefined =>
  registryEntryOf(event.type)?.personal?.person(event.data);

export function registryEntryOf(type: string): RegistryEntry<StoredEvent> | undefined {
  return Object.hasOwn(entries, type)
    ? (entries[type as EventType] as unknown as RegistryEntry<StoredEvent>)
    : undefined;
}
