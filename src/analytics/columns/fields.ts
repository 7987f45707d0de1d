import type { EventMetadata } from '../../log/recorded.js';
import type { EventOf, EventType } from '../../log/registry.js';
import { batchIdOf, caseIdOf } from '../../log/streams.js';

/**
 * `id`: a pseudonym in a column of its own. `clear`: as it is, in a column of its own. `data`: as it is, in the JSON
 * of the column `data`. `omit`: not exported; for texts, digests, and ids that are no subject of a question.
 */
export type Treatment = 'id' | 'clear' | 'data' | 'omit';

type FieldOf<Data> = Data extends unknown ? Exclude<keyof Data & string, 'at'> : never;

type Treatments = {
  readonly [Type in EventType]: { readonly [Field in FieldOf<EventOf<Type>['data']>]-?: Treatment };
};

const actor = { actorId: 'id' } as const;
const application = { appId: 'clear' } as const;
const grant = { grantId: 'id', appId: 'clear', actorId: 'id' } as const;
const post = { postId: 'id', authorActorId: 'id' } as const;
const block = { actorId: 'id', targetActorId: 'id' } as const;
const relation = {
  kind: 'clear',
  actorId: 'id',
  targetId: 'id',
  targetActorId: 'id',
  generation: 'clear',
} as const;
const job = { jobId: 'omit' } as const;
const batch = { batchId: 'id' } as const;
const outcome = { ...batch, changed: 'data', skipped: 'omit' } as const;
/** Rows of operators do not say which one: `by_operator` is all. */
const operator = { operatorId: 'omit' } as const;
const token = { ...operator, tokenId: 'omit' } as const;
const passkey = { ...operator, passkeyId: 'omit' } as const;

const caseOf = { caseId: 'id', postId: 'id', targetActorId: 'id' } as const;
const byOperator = { ...caseOf, ...operator } as const;
const ruling = { ...byOperator, decisionId: 'id', notice: 'omit' } as const;
const execution = { ...caseOf, decisionId: 'id', changed: 'data' } as const;
const approval = { ...operator, approvalId: 'omit' } as const;

/** Treatment of each field of each registered event, but for its time. A personal field is omitted in any case. */
export const treatments: Treatments = {
  'network.founded': { networkId: 'omit' },
  'network.signing_key_rotated': { keyId: 'omit', signsFrom: 'data' },
  'network.publishing_paused': {},
  'network.publishing_resumed': {},
  'network.backup_begun': { backupId: 'omit' },
  'network.restored': { restoreId: 'omit', backupId: 'omit', parts: 'data' },
  'network.shared_token_limited': {},
  'network.rebuild_requested': { ...job, names: 'data' },
  'network.recovery_applied': { ...job, reseedsWitness: 'data' },
  'network.recovery_rolled_back': job,
  'job.paused': job,
  'job.resumed': job,
  'account.registered': { ...actor, handle: 'omit', displayName: 'omit', email: 'omit' },
  'account.suspended': actor,
  'account.reinstated': actor,
  'account.erasure_requested': { ...actor, erasesAt: 'data' },
  'account.erasure_cancelled': actor,
  'account.erased': { ...actor, handleDigest: 'omit', keyId: 'omit' },
  'account.password_changed': actor,
  'account.signed_in': actor,
  'account.signed_out': actor,
  'handle.claimed': { ...actor, profileRevision: 'data' },
  'handle.released': actor,
  'application.registered': {
    ...application,
    name: 'omit',
    redirectUris: 'omit',
    postLogoutRedirectUris: 'omit',
    scopes: 'data',
  },
  'application.suspended': application,
  'application.reinstated': application,
  'application.secret_rotated': { ...application, previousUntil: 'data' },
  'grant.issued': { ...grant, scopes: 'data' },
  'grant.refreshed': grant,
  'grant.reuse_detected': { ...grant, of: 'data' },
  'grant.revoked': { ...grant, cause: 'clear' },
  'post.created': {
    ...post,
    ...application,
    text: 'omit',
    audience: 'data',
    mentions: 'omit',
    parentId: 'id',
    parentAuthorActorId: 'id',
    rootId: 'id',
  },
  'post.edited': { ...post, ...application, text: 'omit', mentions: 'omit', revision: 'clear' },
  'post.deleted': post,
  'post.restricted': post,
  'post.unrestricted': post,
  'relation.established': relation,
  'relation.ended': { ...relation, cause: 'clear' },
  'block.established': block,
  'block.ended': block,
  'profile.changed': {
    ...actor,
    handle: 'omit',
    displayName: 'omit',
    bio: 'omit',
    website: 'omit',
    revision: 'clear',
  },
  'inbox.read': { ...actor, ids: 'omit', upTo: 'data' },
  'report.created': {
    reportId: 'id',
    reporterActorId: 'id',
    ...application,
    postId: 'id',
    targetActorId: 'id',
    reason: 'clear',
    text: 'omit',
  },
  'backup.part_sent': { backupId: 'omit', part: 'data' },
  'audit.exported': { exportId: 'omit', query: 'omit' },
  'case.opened': { ...caseOf, reportId: 'id' },
  'case.reopened': { ...caseOf, reportId: 'id' },
  'case.claimed': byOperator,
  'case.disclosed': { ...byOperator, eventIds: 'omit', networkRevision: 'data' },
  'case.released': byOperator,
  'case.noted': { ...caseOf, note: 'omit' },
  'case.decided': {
    ...ruling,
    seenEventIds: 'omit',
    networkRevision: 'data',
    outcome: 'data',
    effects: 'data',
  },
  'case.appealed': { ...caseOf, decisionId: 'id', appeal: 'omit' },
  'case.appeal_upheld': ruling,
  'case.appeal_overturned': ruling,
  'case.effects_applied': execution,
  'case.effects_undone': execution,
  'approval.requested': { ...approval, act: 'data', content: 'omit', digest: 'omit', expiresAt: 'data' },
  'approval.given': { ...approval, digest: 'omit' },
  'approval.refused': approval,
  'approval.voided': approval,
  'approval.used': approval,
  'approval.carried_out': approval,
  'registration.opened': {},
  'registration.closed': {},
  'batch.requested': { ...batch, ...application, kind: 'data', items: 'omit' },
  'batch.applied': outcome,
  'batch.undo_requested': batch,
  'batch.undone': outcome,
  'operator.invited': {
    ...operator,
    name: 'omit',
    roles: 'data',
    invitationHash: 'omit',
    expiresAt: 'omit',
    needsConfirmation: 'data',
  },
  'operator.confirmed': operator,
  'operator.enrolled': operator,
  'operator.name_reserved': { ...operator, revision: 'omit' },
  'operator.roles_changed': { ...operator, roles: 'data' },
  'operator.suspended': operator,
  'operator.reinstated': operator,
  'operator.token_issued': { ...token, tokenHash: 'omit', label: 'omit', expiresAt: 'omit' },
  'operator.token_revoked': token,
  'operator.passkey_registered': {
    ...passkey,
    credentialId: 'omit',
    publicKey: 'omit',
    transports: 'omit',
    label: 'omit',
  },
  'operator.passkey_removed': passkey,
  'operator.signed_in': passkey,
  'operator.signed_out': operator,
  'operator.four_eyes_required': { batchItems: 'data' },
  'operator.restrictions_reserved': { ...operator, reservationId: 'omit', count: 'data' },
  'operator.restrictions_returned': { ...operator, reservationId: 'omit' },
  'operator.four_eyes_lifted': {},
  'dossier.opened': { ...operator, ...actor, ...application, grantId: 'id', postId: 'id' },
  'as_of.opened': { ...operator, ...actor, position: 'data' },
  'look.recorded': {
    ...operator,
    ...actor,
    ...application,
    grantId: 'id',
    postId: 'id',
    eventId: 'omit',
    position: 'data',
  },
  'text.disclosed': { ...operator, ...actor, eventId: 'omit', postId: 'id' },
  'analytics.exported': { ...operator, exportId: 'omit' },
  'analytics.disclosed': {
    ...operator,
    ...actor,
    eventIds: 'omit',
    postId: 'id',
    grantId: 'id',
    reportId: 'id',
  },
};

interface MetadataColumn {
  readonly treatment: 'id' | 'clear';
  readonly column: string;
}

/**
 * `by_operator` is true of an operator's act, without the name or id. `causes`: the name of a stream, of which
 * {@link idsOfCause} are exported as pseudonyms.
 */
export const metadataColumns: {
  readonly [Field in keyof Required<EventMetadata>]: MetadataColumn | 'causes' | 'omit';
} = {
  actorId: { treatment: 'id', column: 'by_actor_id' },
  appId: { treatment: 'clear', column: 'by_app_id' },
  grantId: { treatment: 'id', column: 'by_grant_id' },
  addressClass: { treatment: 'clear', column: 'address_class' },
  requestId: 'omit',
  clientRequestId: 'omit',
  intentId: 'omit',
  payloadHash: 'omit',
  operator: 'omit',
  operatorId: 'omit',
  systemAccount: 'omit',
  reason: 'omit',
  decisionId: { treatment: 'id', column: 'decision_id' },
  cause: 'causes',
  witnessEpoch: 'omit',
};

/** The case or batch whose stream has this name, by its column. */
export const idsOfCause = (stream: string): Readonly<Record<string, string | undefined>> => ({
  case_id: caseIdOf(stream),
  batch_id: batchIdOf(stream),
});
