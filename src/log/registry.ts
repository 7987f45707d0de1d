import { z } from 'zod';
import type { AccountEvent, HandleEvent } from '../domain/account/account.js';
import type { ApplicationEvent } from '../domain/application/application.js';
import type { BlockEvent } from '../domain/block/events.js';
import type { GrantEvent } from '../domain/grant/grant.js';
import type { InboxRead } from '../domain/inbox/events.js';
import type { NetworkEvent } from '../domain/network/network.js';
import type { OperatorEvent } from '../domain/operator/operator.js';
import { roles } from '../domain/operator/roles.js';
import type { PostEvent } from '../domain/post/events.js';
import type { ProfileChanged } from '../domain/profile/events.js';
import type { RelationEvent } from '../domain/relation/events.js';
import type { ReportCreated } from '../domain/report/events.js';
import { reportReasons } from '../domain/report/report-reasons.js';

export type StoredEvent =
  | NetworkEvent
  | AccountEvent
  | HandleEvent
  | ApplicationEvent
  | GrantEvent
  | PostEvent
  | RelationEvent
  | BlockEvent
  | ProfileChanged
  | InboxRead
  | ReportCreated
  | OperatorEvent;

export type EventType = StoredEvent['type'];
export type EventOf<Type extends EventType> = Extract<StoredEvent, { type: Type }>;

type Json = Record<string, unknown>;

export interface RegistryEntry<Event extends StoredEvent> {
  /**
   * Newest version of the event's data. `upcasters[version - 1]` converts data of a version to the next one, when it
   * is read. Stored events are never rewritten.
   */
  readonly version: number;
  readonly upcasters: readonly ((older: Json) => Json)[];
  readonly schema: z.ZodType<Event['data']>;
  readonly personal?: {
    readonly person: (data: Event['data']) => string;
    readonly placeholders: { readonly [Field in keyof Event['data']]?: Event['data'][Field] };
  };
}

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const at = z.int().nonnegative();
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
const operatorFields = z.strictObject({ operatorId: id, at });
const operatorRoles = z.array(z.enum(roles));
const grantFields = z.strictObject({ grantId: id, appId: id, actorId: id, at });

const entries: { readonly [Type in EventType]: RegistryEntry<EventOf<Type>> } = {
  'network.founded': { version: 1, upcasters: [], schema: z.strictObject({ networkId: id, at }) },
  'network.signing_key_rotated': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ keyId: id, signsFrom: at, at }),
  },
  'network.publishing_paused': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'network.publishing_resumed': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'network.backup_begun': { version: 1, upcasters: [], schema: z.strictObject({ backupId: id, at }) },
  'network.backup_part_sent': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ backupId: id, part: z.string(), at }),
  },
  'network.restored': {
    version: 2,
    upcasters: [(first) => ({ ...first, account: null })],
    schema: z.strictObject({
      restoreId: id,
      backupId: id,
      parts: z.array(z.string()),
      account: z.string().nullable(),
      at,
    }),
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
  'operator.signed_out': { version: 1, upcasters: [], schema: operatorFields },
};

export const eventTypes = Object.keys(entries) as readonly EventType[];

export function personalFieldsOf(type: string): readonly string[] {
  return Object.keys(registryEntryOf(type)?.personal?.placeholders ?? {});
}

export function registryEntryOf(type: string): RegistryEntry<StoredEvent> | undefined {
  return Object.hasOwn(entries, type)
    ? (entries[type as EventType] as unknown as RegistryEntry<StoredEvent>)
    : undefined;
}

/**
 * Converts stored data to the newest version, one version at a time.
 * @throws {Error} the version is unknown.
 */
export function upcast(
  { version, upcasters }: Pick<RegistryEntry<StoredEvent>, 'version' | 'upcasters'>,
  from: number,
  data: Json,
): Json {
  if (!Number.isInteger(from) || from < 1 || from > version)
    throw new Error(
      `the event has schema version ${from}, and this release knows 1 to ${version}: run one that knows it`,
    );
  return upcasters.slice(from - 1).reduce((older, upcaster) => upcaster(older), data);
}
