import { z } from 'zod';
import type { AccountEvent, HandleEvent } from '../domain/account/account.js';
import type { ApplicationEvent } from '../domain/application/application.js';
import type { BlockEvent } from '../domain/block/events.js';
import type { GrantEvent } from '../domain/grant/grant.js';
import type { InboxRead } from '../domain/inbox/events.js';
import type { NetworkEvent } from '../domain/network/network.js';
import type { PostEvent } from '../domain/post/events.js';
import type { ProfileChanged } from '../domain/profile/events.js';
import type { RelationEvent } from '../domain/relation/events.js';
import type { ReportCreated } from '../domain/report/events.js';
import { reportReasons } from '../domain/report/report.js';

/** Every event that may stand in the log, in its newest shape. */
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
  | ReportCreated;

export type EventType = StoredEvent['type'];
export type EventOf<Type extends EventType> = Extract<StoredEvent, { type: Type }>;

type Json = Record<string, unknown>;

/** How one type of event is kept. */
export interface Entry<Event extends StoredEvent> {
  /** Version of the newest shape. Older ones are lifted by `upcasters[version - 1]`, one step each; never rewritten. */
  readonly version: number;
  readonly upcasters: readonly ((older: Json) => Json)[];
  readonly schema: z.ZodType<Event['data']>;
  /** Whose key seals the personal fields, and what stands in for each field once that key is destroyed. */
  readonly personal?: {
    readonly person: (data: Event['data']) => string;
    readonly placeholders: { readonly [Field in keyof Event['data']]?: Event['data'][Field] };
  };
}

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const at = z.int().nonnegative();
const scopes = z.array(z.string());
const uris = z.array(z.string());
const ofAccount = z.strictObject({ actorId: id, at });
const ofApplication = z.strictObject({ appId: id, at });
const ofPost = z.strictObject({ postId: id, authorActorId: id, at });
const ofBlock = z.strictObject({ actorId: id, targetActorId: id, at });
const ofRelation = z.strictObject({
  kind: z.enum(['follow', 'like']),
  actorId: id,
  targetId: id,
  targetActorId: id,
  generation: z.int().positive(),
  at,
});
const ofGrant = z.strictObject({ grantId: id, appId: id, actorId: id, at });

const entries: { readonly [Type in EventType]: Entry<EventOf<Type>> } = {
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
  'account.suspended': { version: 1, upcasters: [], schema: ofAccount },
  'account.reinstated': { version: 1, upcasters: [], schema: ofAccount },
  'account.erasure_requested': { version: 1, upcasters: [], schema: ofAccount.extend({ erasesAt: at }) },
  'account.erasure_cancelled': { version: 1, upcasters: [], schema: ofAccount },
  'account.erased': {
    version: 1,
    upcasters: [],
    schema: ofAccount.extend({ handleDigest: id.optional(), keyId: id.optional() }),
  },
  'account.password_changed': { version: 1, upcasters: [], schema: ofAccount },
  'account.signed_out': { version: 1, upcasters: [], schema: ofAccount },
  'handle.claimed': {
    version: 1,
    upcasters: [],
    schema: ofAccount.extend({ profileRevision: z.int().positive().optional() }),
  },
  'handle.released': { version: 1, upcasters: [], schema: ofAccount },
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
  'application.suspended': { version: 1, upcasters: [], schema: ofApplication },
  'application.reinstated': { version: 1, upcasters: [], schema: ofApplication },
  'application.secret_rotated': {
    version: 1,
    upcasters: [],
    schema: ofApplication.extend({ previousUntil: at }),
  },
  'grant.issued': {
    version: 1,
    upcasters: [],
    schema: ofGrant.extend({ scopes }),
  },
  'grant.refreshed': { version: 1, upcasters: [], schema: ofGrant },
  'grant.reuse_detected': {
    version: 1,
    upcasters: [],
    schema: ofGrant.extend({ of: z.enum(['authorization_code', 'refresh_token']) }),
  },
  'grant.revoked': {
    version: 1,
    upcasters: [],
    schema: ofGrant.extend({ cause: z.enum(['client', 'person', 'operator', 'reuse']) }),
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
    schema: ofPost,
  },
  'post.restricted': { version: 1, upcasters: [], schema: ofPost },
  'post.unrestricted': { version: 1, upcasters: [], schema: ofPost },
  'relation.established': { version: 1, upcasters: [], schema: ofRelation },
  'relation.ended': {
    version: 1,
    upcasters: [],
    schema: ofRelation.extend({ cause: z.enum(['actor', 'block']) }),
  },
  'block.established': { version: 1, upcasters: [], schema: ofBlock },
  'block.ended': { version: 1, upcasters: [], schema: ofBlock },
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
};

/** Every type that there is. */
export const eventTypes = Object.keys(entries) as readonly EventType[];

/** Fields of a type that are sealed. */
export function personalFieldsOf(type: string): readonly string[] {
  return Object.keys(entryOf(type)?.personal?.placeholders ?? {});
}

/** The entry of a type, or undefined for a type that this code does not know. */
export function entryOf(type: string): Entry<StoredEvent> | undefined {
  return Object.hasOwn(entries, type)
    ? (entries[type as EventType] as unknown as Entry<StoredEvent>)
    : undefined;
}

/** Lifts stored data to the newest shape, one version at a time. Throws for a version that this code does not know. */
export function upcast(
  { version, upcasters }: Pick<Entry<StoredEvent>, 'version' | 'upcasters'>,
  from: number,
  data: Json,
): Json {
  if (!Number.isInteger(from) || from < 1 || from > version)
    throw new Error(`schema version ${from} is unknown here; the newest is ${version}`);
  return upcasters.slice(from - 1).reduce((older, lift) => lift(older), data);
}
