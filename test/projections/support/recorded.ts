import { randomUUID } from 'node:crypto';
import type { EventMetadata, Recorded } from '../../../src/log/recorded.js';
import type { EventOf, EventType, StoredEvent } from '../../../src/log/registry.js';

/** Bytes from one event to the next. Positions are byte offsets: increasing and sparse. */
const EVENT_BYTES = 100n;

/** Records events in order, as a log does. Each stream is named after the subject of its events. */
export class Recorder {
  private position = 0n;
  private readonly revisions = new Map<string, bigint>();

  record<Event extends StoredEvent>(
    event: Event,
    options: {
      readonly erased?: boolean;
      readonly metadata?: Partial<EventMetadata>;
      readonly stream?: string;
      readonly id?: string;
    } = {},
  ): Recorded<Event> {
    const stream = options.stream ?? streamOf(event);
    const revision = (this.revisions.get(stream) ?? -1n) + 1n;
    this.revisions.set(stream, revision);
    this.position += EVENT_BYTES;
    return {
      id: options.id ?? randomUUID(),
      stream,
      revision,
      position: this.position,
      event,
      metadata: { requestId: 'test', ...options.metadata },
      erased: options.erased ?? false,
    };
  }
}

function streamOf({ type, data }: StoredEvent): string {
  if (type === 'relation.established' || type === 'relation.ended') {
    const { kind, actorId, targetId } = data;
    return kind === 'like' ? `like-${actorId}.${targetId}` : streamOfPair(actorId, targetId);
  }
  if (type === 'block.established' || type === 'block.ended')
    return streamOfPair(data.actorId, data.targetActorId);
  if (type === 'report.created') return `report-${data.reportId}`;
  if (type === 'profile.changed') return `profile-${data.actorId}`;
  if ('approvalId' in data) return `plaza_approval-${data.approvalId}`;
  if (type === 'operator.name_reserved') return 'plaza_operator_name-digest';
  if ('reservationId' in data) return `plaza_operator_restrictions-${data.operatorId}`;
  if (type.startsWith('operator.four_eyes_')) return 'plaza_four_eyes';
  if ('batchId' in data) return `plaza_batch-${data.batchId}`;
  if (type.startsWith('registration.')) return 'plaza_registration';
  if ('caseId' in data) return `plaza_case-${data.caseId}`;
  if ('postId' in data) return `post-${data.postId}`;
  if ('grantId' in data) return `grant-${data.grantId}`;
  if (type === 'application.changed') return `plaza_application_changes-${data.appId}`;
  if ('appId' in data) return `application-${data.appId}`;
  if (type === 'account.signed_in') return `plaza_sign-ins-${data.actorId}`;
  if (
    type === 'account.address_verified' ||
    type === 'account.address_changed' ||
    type === 'account.recovered'
  )
    return `plaza_access-${data.actorId}`;
  if (type === 'account.data_disclosed') return `plaza_account_exports-${data.actorId}`;
  if ('linkId' in data) return `plaza_recovery_links-${data.actorId}`;
  if (/^account\.(?:passkey|second_step|recovery_code)_/.test(type) && 'actorId' in data)
    return `plaza_factors-${data.actorId}`;
  if (type === 'download.begun') return `plaza_downloads-${data.actorId}`;
  if ('actorId' in data) return `account-${data.actorId}`;
  if ('operatorId' in data) return `plaza_operator-${data.operatorId}`;
  return type.startsWith('network.') ? 'network' : type;
}

const streamOfPair = (one: string, other: string) => `pair-${[one, other].sort().join('.')}`;

/** An event of each type, with defaults for everything that a test does not set. */
export const some = {
  account: (actorId: string, data: Partial<EventOf<'account.registered'>['data']> = {}) =>
    event('account.registered', {
      actorId,
      handle: `${actorId}_handle`,
      displayName: `The ${actorId}`,
      email: `${actorId}@example.org`,
      at: 1_000,
      ...data,
    }),
  application: (appId: string, data: Partial<EventOf<'application.registered'>['data']> = {}) =>
    event('application.registered', {
      appId,
      name: `App ${appId}`,
      redirectUris: [],
      postLogoutRedirectUris: [],
      scopes: [],
      at: 1_000,
      ...data,
    }),
  post: (postId: string, data: Partial<EventOf<'post.created'>['data']> = {}) =>
    event('post.created', {
      postId,
      authorActorId: 'ada',
      appId: 'app',
      text: `text of ${postId}`,
      audience: 'public',
      mentions: [],
      at: 2_000,
      ...data,
    }),
  deletion: (postId: string, data: Partial<EventOf<'post.deleted'>['data']> = {}) =>
    event('post.deleted', { postId, authorActorId: 'ada', at: 3_000, ...data }),
  restriction: (postId: string, data: Partial<EventOf<'post.restricted'>['data']> = {}) =>
    event('post.restricted', { postId, authorActorId: 'ada', at: 3_000, ...data }),
  unrestriction: (postId: string, data: Partial<EventOf<'post.unrestricted'>['data']> = {}) =>
    event('post.unrestricted', { postId, authorActorId: 'ada', at: 3_500, ...data }),
  edit: (postId: string, data: Partial<EventOf<'post.edited'>['data']> = {}) =>
    event('post.edited', {
      postId,
      authorActorId: 'ada',
      appId: 'app',
      text: `new text of ${postId}`,
      mentions: [],
      revision: 2,
      at: 2_500,
      ...data,
    }),
  follow: (actorId: string, targetId = 'ada', data: Partial<EventOf<'relation.established'>['data']> = {}) =>
    event('relation.established', {
      kind: 'follow',
      actorId,
      targetId,
      targetActorId: targetId,
      generation: 1,
      at: 2_000,
      ...data,
    }),
  unfollow: (actorId: string, targetId = 'ada', data: Partial<EventOf<'relation.ended'>['data']> = {}) =>
    event('relation.ended', {
      kind: 'follow',
      actorId,
      targetId,
      targetActorId: targetId,
      generation: 1,
      cause: 'actor',
      at: 3_000,
      ...data,
    }),
  like: (actorId: string, targetId = 'p1', data: Partial<EventOf<'relation.established'>['data']> = {}) =>
    event('relation.established', {
      kind: 'like',
      actorId,
      targetId,
      targetActorId: 'ada',
      generation: 1,
      at: 2_000,
      ...data,
    }),
  unlike: (actorId: string, targetId = 'p1', data: Partial<EventOf<'relation.ended'>['data']> = {}) =>
    event('relation.ended', {
      kind: 'like',
      actorId,
      targetId,
      targetActorId: 'ada',
      generation: 1,
      cause: 'actor',
      at: 3_000,
      ...data,
    }),
  block: (actorId: string, targetActorId = 'ada') =>
    event('block.established', { actorId, targetActorId, at: 2_000 }),
  unblock: (actorId: string, targetActorId = 'ada') =>
    event('block.ended', { actorId, targetActorId, at: 3_000 }),
  profileChange: (actorId: string, data: Partial<EventOf<'profile.changed'>['data']> = {}) =>
    event('profile.changed', {
      actorId,
      handle: `${actorId}_new`,
      displayName: `The new ${actorId}`,
      bio: 'a bio',
      website: 'https://example.org/',
      revision: 2,
      at: 2_000,
      ...data,
    }),
  inboxRead: (actorId: string, upTo = 2_000) => event('inbox.read', { actorId, upTo, at: 4_000 }),
  suspension: (actorId: string) => event('account.suspended', { actorId, at: 1_000 }),
  reinstatement: (actorId: string) => event('account.reinstated', { actorId, at: 1_000 }),
  erasureRequest: (actorId: string) =>
    event('account.erasure_requested', { actorId, erasesAt: 9_000, at: 1_000 }),
  erasureCancellation: (actorId: string) => event('account.erasure_cancelled', { actorId, at: 1_000 }),
  erasure: (actorId: string) =>
    event('account.erased', { actorId, handleDigest: 'digest', keyId: 'key', at: 1_000 }),
  passwordChange: (actorId: string) => event('account.password_changed', { actorId, at: 1_000 }),
  signIn: (actorId: string) => event('account.signed_in', { actorId, at: 1_000 }),
  signOut: (actorId: string) => event('account.signed_out', { actorId, at: 1_000 }),
  addressVerification: (actorId: string) => event('account.address_verified', { actorId, at: 1_000 }),
  addressChange: (actorId: string, address = `new.${actorId}@example.org`) =>
    event('account.address_changed', { actorId, address, previous: '', wasVerified: true, at: 1_000 }),
  recoveredAccount: (actorId: string) => event('account.recovered', { actorId, at: 1_000 }),
  recoveryLink: (actorId: string) =>
    event('account.recovery_link_made', {
      actorId,
      linkId: 'link',
      worksFrom: 2_000,
      worksUntil: 3_000,
      at: 1_000,
    }),
  recoveryLinkEnd: (actorId: string) =>
    event('account.recovery_link_ended', { actorId, linkId: 'link', at: 1_500 }),
  recoveryLinkUse: (actorId: string) =>
    event('account.recovery_link_used', { actorId, linkId: 'link', at: 2_500 }),
  accountExport: (actorId: string) =>
    event('account.data_disclosed', { actorId, exportId: 'export', at: 1_000 }),
  personPasskey: (actorId: string) => event('account.passkey_added', { actorId, at: 1_000 }),
  personPasskeyRemoval: (actorId: string) => event('account.passkey_removed', { actorId, at: 1_000 }),
  secondStep: (actorId: string) => event('account.second_step_required', { actorId, at: 1_000 }),
  secondStepEnd: (actorId: string) => event('account.second_step_lifted', { actorId, at: 1_000 }),
  recoveryCodeUse: (actorId: string) => event('account.recovery_code_used', { actorId, at: 1_000 }),
  applicationSuspension: (appId: string) => event('application.suspended', { appId, at: 1_000 }),
  applicationReinstatement: (appId: string) => event('application.reinstated', { appId, at: 1_000 }),
  applicationChange: (appId: string, data: Partial<EventOf<'application.changed'>['data']> = {}) =>
    event('application.changed', {
      appId,
      name: `The new ${appId}`,
      redirectUris: ['https://new.example/callback'],
      postLogoutRedirectUris: [],
      scopes: ['read'],
      changed: ['name', 'redirectUris'],
      removedScopes: [],
      formerNames: [],
      at: 1_500,
      ...data,
    }),
  secretRotation: (appId: string) =>
    event('application.secret_rotated', { appId, previousUntil: 2_000, at: 1_000 }),
  claim: (actorId: string) => event('handle.claimed', { actorId, at: 1_000 }),
  release: (actorId: string) => event('handle.released', { actorId, at: 2_000 }),
  grant: (grantId: string) =>
    event('grant.issued', { grantId, appId: 'app', actorId: 'ada', scopes: ['read'], at: 1_000 }),
  refresh: (grantId: string) =>
    event('grant.refreshed', { grantId, appId: 'app', actorId: 'ada', at: 1_000 }),
  reuse: (grantId: string) =>
    event('grant.reuse_detected', { grantId, appId: 'app', actorId: 'ada', of: 'refresh_token', at: 1_000 }),
  revocation: (grantId: string) =>
    event('grant.revoked', { grantId, appId: 'app', actorId: 'ada', cause: 'person', at: 1_000 }),
  founding: (networkId: string) => event('network.founded', { networkId, at: 500 }),
  keyRotation: (keyId: string) =>
    event('network.signing_key_rotated', { keyId, signsFrom: 2_000, at: 1_000 }),
  report: (reportId: string, data: Partial<EventOf<'report.created'>['data']> = {}) =>
    event('report.created', {
      reportId,
      reporterActorId: 'ada',
      appId: 'app',
      targetActorId: 'bob',
      reason: 'spam',
      text: `text of ${reportId}`,
      at: 2_000,
      ...data,
    }),
  caseOpening: (caseId: string) => event('case.opened', { ...ofCase(caseId), reportId: 'report' }),
  caseReopening: (caseId: string) => event('case.reopened', ofCase(caseId)),
  caseClaim: (caseId: string, operatorId = 'grace') =>
    event('case.claimed', { ...ofCase(caseId), operatorId }),
  caseDisclosure: (caseId: string, operatorId = 'grace') =>
    event('case.disclosed', {
      ...ofCase(caseId),
      operatorId,
      eventIds: [randomUUID()],
      networkRevision: 100,
    }),
  caseRelease: (caseId: string) => event('case.released', { ...ofCase(caseId), operatorId: 'grace' }),
  caseNote: (caseId: string) => event('case.noted', { ...ofCase(caseId), note: 'a note' }),
  caseDecision: (caseId: string, data: Partial<EventOf<'case.decided'>['data']> = {}) =>
    event('case.decided', {
      ...ofCase(caseId),
      decisionId: 'decision',
      operatorId: 'grace',
      seenEventIds: [],
      networkRevision: 100,
      outcome: 'violation',
      effects: ['restrict_post'],
      notice: 'a notice',
      ...data,
    }),
  caseAppeal: (caseId: string) =>
    event('case.appealed', { ...ofCase(caseId), decisionId: 'decision', appeal: 'an appeal' }),
  upheldAppeal: (caseId: string) => event('case.appeal_upheld', ruling(caseId)),
  overturnedAppeal: (caseId: string) => event('case.appeal_overturned', ruling(caseId)),
  appliedEffects: (caseId: string) =>
    event('case.effects_applied', { ...ofCase(caseId), decisionId: 'decision', changed: ['restrict_post'] }),
  undoneEffects: (caseId: string) =>
    event('case.effects_undone', { ...ofCase(caseId), decisionId: 'decision', changed: [] }),
  publishingPause: () => event('network.publishing_paused', { at: 1_000 }),
  publishingResumption: () => event('network.publishing_resumed', { at: 1_000 }),
  rebuildRequest: () => event('network.rebuild_requested', { jobId: 'job', names: [], at: 1_000 }),
  recovery: () => event('network.recovery_applied', { jobId: 'job', reseedsWitness: false, at: 1_000 }),
  rollback: () => event('network.recovery_rolled_back', { jobId: 'job', at: 1_000 }),
  pause: () => event('job.paused', { jobId: 'job', at: 1_000 }),
  resumption: () => event('job.resumed', { jobId: 'job', at: 1_000 }),
  registrationOpening: () => event('registration.opened', { at: 1_000 }),
  registrationClosing: () => event('registration.closed', { at: 1_000 }),
  batch: () =>
    event('batch.requested', { batchId: 'batch', kind: 'posts', items: ['post'], appId: 'app', at: 1_000 }),
  batchEnd: () => event('batch.applied', { batchId: 'batch', changed: 1, skipped: [], at: 1_000 }),
  undo: () => event('batch.undo_requested', { batchId: 'batch', at: 1_000 }),
  undoEnd: () => event('batch.undone', { batchId: 'batch', changed: 1, skipped: [], at: 1_000 }),
  backup: () => event('network.backup_begun', { backupId: 'backup', at: 1_000 }),
  restore: () =>
    event('network.restored', { restoreId: 'restore', backupId: 'backup', parts: ['log'], at: 1_000 }),
  sentPart: () => event('backup.part_sent', { backupId: 'backup', part: 'log', at: 1_000 }),
  download: (actorId: string) =>
    event('download.begun', { actorId, downloadId: 'download', parts: ['events', 'inbox'], at: 1_000 }),
  auditExport: () => event('audit.exported', { exportId: 'export', query: '', at: 1_000 }),
  fourEyesRequirement: () => event('operator.four_eyes_required', { batchItems: 5, at: 1_000 }),
  fourEyesEnd: () => event('operator.four_eyes_lifted', { at: 1_000 }),
  reservation: (operatorId: string, reservationId = 'reservation') =>
    event('operator.restrictions_reserved', { operatorId, reservationId, count: 1, at: 2_500 }),
  reservationReturn: (operatorId: string, reservationId = 'reservation') =>
    event('operator.restrictions_returned', { operatorId, reservationId, at: 2_500 }),
  approvalRequest: (approvalId: string) =>
    event('approval.requested', {
      approvalId,
      operatorId: 'ada',
      act: 'account.erase',
      content: '{}',
      digest: 'd',
      expiresAt: 9_000,
      at: 1_000,
    }),
  approval: (approvalId: string) =>
    event('approval.given', { approvalId, operatorId: 'bob', digest: 'd', at: 1_000 }),
  approvalRefusal: (approvalId: string) =>
    event('approval.refused', { approvalId, operatorId: 'bob', at: 1_000 }),
  approvalVoid: (approvalId: string) =>
    event('approval.voided', { approvalId, operatorId: 'ada', at: 1_000 }),
  approvalUse: (approvalId: string) => event('approval.used', { approvalId, operatorId: 'ada', at: 1_000 }),
  approvalEnd: (approvalId: string) =>
    event('approval.carried_out', { approvalId, operatorId: 'ada', at: 1_000 }),
  sharedTokenLimit: () => event('network.shared_token_limited', { at: 1_000 }),
  invitation: (operatorId: string, data: Partial<EventOf<'operator.invited'>['data']> = {}) =>
    event('operator.invited', {
      operatorId,
      name: `Operator ${operatorId}`,
      roles: ['viewer'],
      invitationHash: `code-of-${operatorId}`,
      expiresAt: 9_000,
      needsConfirmation: false,
      at: 1_000,
      ...data,
    }),
  nameReservation: (operatorId: string, revision = -1) =>
    event('operator.name_reserved', { operatorId, revision, at: 1_000 }),
  confirmation: (operatorId: string) => event('operator.confirmed', { operatorId, at: 1_500 }),
  enrollment: (operatorId: string) => event('operator.enrolled', { operatorId, at: 1_500 }),
  roles: (operatorId: string, roles: EventOf<'operator.roles_changed'>['data']['roles'] = ['moderator']) =>
    event('operator.roles_changed', { operatorId, roles, at: 2_000 }),
  operatorSuspension: (operatorId: string) => event('operator.suspended', { operatorId, at: 2_000 }),
  operatorReinstatement: (operatorId: string) => event('operator.reinstated', { operatorId, at: 2_500 }),
  tokenIssue: (operatorId: string, tokenId = `token-of-${operatorId}`) =>
    event('operator.token_issued', {
      operatorId,
      tokenId,
      tokenHash: `hash-of-${tokenId}`,
      label: 'laptop',
      expiresAt: 9_000,
      at: 1_500,
    }),
  tokenRevocation: (operatorId: string, tokenId = `token-of-${operatorId}`) =>
    event('operator.token_revoked', { operatorId, tokenId, at: 2_000 }),
  passkey: (operatorId: string, passkeyId = `passkey-of-${operatorId}`) =>
    event('operator.passkey_registered', {
      operatorId,
      passkeyId,
      credentialId: `credential-of-${passkeyId}`,
      publicKey: `key-of-${passkeyId}`,
      transports: ['internal'],
      label: 'laptop',
      at: 1_500,
    }),
  passkeyRemoval: (operatorId: string, passkeyId = `passkey-of-${operatorId}`) =>
    event('operator.passkey_removed', { operatorId, passkeyId, at: 2_000 }),
  operatorSignIn: (operatorId: string, passkeyId = `passkey-of-${operatorId}`) =>
    event('operator.signed_in', { operatorId, passkeyId, at: 2_000 }),
  opening: (operatorId: string, actorId = 'ada') =>
    event('dossier.opened', { operatorId, actorId, at: 2_500 }),
  disclosure: (operatorId: string, actorId = 'ada') =>
    event('text.disclosed', { operatorId, eventId: 'event-1', actorId, postId: 'p1', at: 2_500 }),
  asOf: (operatorId: string, actorId = 'ada') =>
    event('as_of.opened', { operatorId, actorId, position: '7', at: 2_500 }),
  look: (operatorId: string, actorId = 'ada') => event('look.recorded', { operatorId, actorId, at: 2_500 }),
  analyticsExport: (operatorId: string) =>
    event('analytics.exported', { operatorId, exportId: 'export-1', at: 2_500 }),
  analyticsDisclosure: (operatorId: string, actorId = 'ada') =>
    event('analytics.disclosed', { operatorId, eventIds: ['event-1'], actorId, at: 2_500 }),
  operatorSignOut: (operatorId: string) => event('operator.signed_out', { operatorId, at: 2_500 }),
};

const ofCase = (caseId: string) => ({ caseId, postId: 'p1', targetActorId: 'ada', at: 2_000 });

const ruling = (caseId: string) => ({
  ...ofCase(caseId),
  decisionId: 'decision',
  operatorId: 'hedy',
  notice: '',
});

function event<Type extends EventType>(type: Type, data: EventOf<Type>['data']): EventOf<Type> {
  return { type, data } as EventOf<Type>;
}
