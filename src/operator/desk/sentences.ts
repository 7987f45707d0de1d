import { batchIdOf, caseIdOf } from '../../log/streams.js';
import { registryEntryOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';

/** The part of an event that its sentence has. `subject`: the ids in its data. */
export interface Told {
  readonly type: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly actorId: string | null;
  readonly appId: string | null;
  readonly operatorId: string | null;
  readonly operator: string | null;
  readonly cause: string | null;
}

export type Noun =
  | 'person'
  | 'post'
  | 'application'
  | 'operator'
  | 'grant'
  | 'batch'
  | 'case'
  | 'approval'
  | 'job'
  /** The name that a client of an operator claimed. */
  | 'claimed';

/** Words, or a thing that stands among them by its id. */
export type Part = string | { readonly noun: Noun; readonly id: string };

type Ids = Told['subject'];

/** Words after the one who did it. `{postId}`: the post of that field. `of`: those of one event, if its ids tell more. */
interface Verb {
  readonly verb: string;
  readonly of: (ids: Ids) => string;
}

const isFollow = ({ targetId, targetActorId }: Ids) => targetId === targetActorId;

const viewed = ({ postId, appId, grantId, eventId, actorId }: Ids) => {
  if (postId !== undefined) return 'viewed the post {postId}';
  if (appId !== undefined) return 'viewed the application {appId}';
  if (grantId !== undefined) return 'viewed the grant {grantId}';
  if (eventId !== undefined)
    return actorId === undefined ? 'viewed a request' : 'viewed a request of {actorId}';
  return actorId === undefined ? 'viewed the whole audit' : 'viewed the person {actorId}';
};

const words: Readonly<Record<EventType, string | Verb>> = {
  'network.founded': 'was founded',
  'network.signing_key_rotated': 'made a new key that signs tokens',
  'network.publishing_paused': 'paused publishing',
  'network.publishing_resumed': 'resumed publishing',
  'network.backup_begun': 'began a backup',
  'network.restored': 'restored the network from a backup',
  'network.shared_token_limited': 'limited the shared token to emergencies',
  'network.rebuild_requested': 'requested the rebuild {jobId} of read models',
  'network.recovery_applied': 'requested the recovery {jobId}',
  'network.recovery_rolled_back': 'requested the rollback {jobId} of a recovery',
  'job.paused': 'paused the job {jobId}',
  'job.resumed': 'resumed the job {jobId}',
  'account.registered': 'registered the account of {actorId}',
  'account.suspended': 'suspended the account of {actorId}',
  'account.reinstated': 'reinstated the account of {actorId}',
  'account.erasure_requested': 'planned the erasure of {actorId}',
  'account.erasure_cancelled': 'cancelled the planned erasure of {actorId}',
  'account.erased': 'erased the account of {actorId}',
  'account.password_changed': 'changed the password of {actorId}',
  'account.signed_in': 'signed in',
  'account.signed_out': 'signed out everywhere',
  'account.address_verified': 'confirmed the e-mail address of {actorId}',
  'account.address_changed': 'changed the e-mail address of {actorId}',
  'account.recovered': 'set a new password for {actorId} by a link in a mail',
  'account.recovery_link_made': 'made a link that sets a new password for {actorId}',
  'account.recovery_link_ended': 'ended the link that sets a new password for {actorId}',
  'account.recovery_link_used': 'set a new password for {actorId} by a link of the operators',
  'account.data_disclosed': 'exported all data of {actorId}',
  'account.passkey_added': 'added a passkey to the account of {actorId}',
  'account.passkey_removed': 'removed a passkey from the account of {actorId}',
  'account.second_step_required': 'turned on the second step of {actorId}, with new recovery codes',
  'account.second_step_lifted': 'turned off the second step of {actorId}',
  'account.recovery_code_used': 'used a recovery code of {actorId}',
  'download.begun': 'began a download of the data of {actorId}',
  'handle.claimed': 'took a handle for {actorId}',
  'handle.released': 'released a former handle of {actorId}',
  'application.registered': 'registered the application {appId}',
  'application.suspended': 'suspended the application {appId}',
  'application.reinstated': 'reinstated the application {appId}',
  'application.changed': 'changed the application {appId}',
  'application.secret_rotated': 'made a new secret for the application {appId}',
  'grant.issued': 'gave the application {appId} access to the account of {actorId}',
  'grant.refreshed': 'renewed the access of the application {appId} to the account of {actorId}',
  'grant.reuse_detected':
    'presented a code or token of the application {appId} for the account of {actorId} a second time',
  'grant.revoked': 'ended the access of the application {appId} to the account of {actorId}',
  'post.created': {
    verb: 'published a post',
    of: ({ parentId }) =>
      parentId === undefined
        ? 'published the post {postId} of {authorActorId}'
        : 'replied with the post {postId} of {authorActorId} to the post {parentId} of {parentAuthorActorId}',
  },
  'post.edited': 'edited the post {postId} of {authorActorId}',
  'post.deleted': 'deleted the post {postId} of {authorActorId}',
  'post.restricted': 'restricted the post {postId} of {authorActorId}',
  'post.unrestricted': 'lifted the restriction of the post {postId} of {authorActorId}',
  'relation.established': {
    verb: 'followed somebody or liked a post',
    of: (ids) =>
      isFollow(ids) ? 'followed {targetActorId}' : 'liked the post {targetId} of {targetActorId}',
  },
  'relation.ended': {
    verb: 'ended a follow or a like',
    of: (ids) =>
      isFollow(ids)
        ? 'stopped following {targetActorId}'
        : 'stopped liking the post {targetId} of {targetActorId}',
  },
  'block.established': 'blocked {targetActorId}',
  'block.ended': 'ended the block of {targetActorId}',
  'profile.changed': 'changed the profile of {actorId}',
  'inbox.read': 'marked inbox entries as read',
  'report.created': {
    verb: 'reported a post or a person',
    of: ({ postId }) =>
      postId === undefined ? 'reported {targetActorId}' : 'reported the post {postId} of {targetActorId}',
  },
  'backup.part_sent': 'received a part of a backup',
  'audit.exported': 'exported the audit',
  'registration.opened': 'opened registration',
  'registration.closed': 'closed registration',
  'batch.requested': 'requested the batch {batchId}',
  'batch.applied': 'applied the batch {batchId}',
  'batch.undo_requested': 'requested to undo the batch {batchId}',
  'batch.undone': 'undid the batch {batchId}',
  'approval.requested': 'asked for the approval {approvalId}',
  'approval.given': 'gave the approval {approvalId}',
  'approval.refused': 'refused the approval {approvalId}',
  'approval.voided': 'ended the request for the approval {approvalId}',
  'approval.used': 'began to use the approval {approvalId}',
  'approval.carried_out': 'used the approval {approvalId}',
  'operator.four_eyes_required': 'turned four-eyes on',
  'operator.four_eyes_lifted': 'turned four-eyes off',
  'operator.restrictions_reserved': 'used a part of the allowance of {operatorId}',
  'operator.restrictions_returned': 'returned a part of the allowance of {operatorId}',
  'operator.invited': 'invited the operator {operatorId}',
  'operator.name_reserved': 'reserved a name for the operator {operatorId}',
  'operator.confirmed': 'confirmed the operator {operatorId}',
  'operator.enrolled': 'used the invitation of {operatorId}',
  'operator.roles_changed': 'changed the roles of {operatorId}',
  'operator.suspended': 'suspended the operator {operatorId}',
  'operator.reinstated': 'reinstated the operator {operatorId}',
  'operator.token_issued': 'issued a personal token of {operatorId}',
  'operator.token_revoked': 'revoked a personal token of {operatorId}',
  'operator.passkey_registered': 'registered a passkey of {operatorId}',
  'operator.passkey_removed': 'removed a passkey of {operatorId}',
  'operator.signed_in': 'signed in to the console',
  'operator.signed_out': 'signed out of the console everywhere',
  'text.disclosed': {
    verb: 'was shown a text that is not public',
    of: ({ postId }) =>
      postId === undefined
        ? 'was shown a text of {actorId} that is not public'
        : 'was shown a text of the post {postId} of {actorId} that is not public',
  },
  'dossier.opened': { verb: 'viewed a dossier', of: viewed },
  'as_of.opened': 'viewed an earlier moment of {actorId}',
  'look.recorded': { verb: 'viewed what the network has', of: viewed },
  'analytics.disclosed': 'was shown what a data set keeps back',
  'analytics.exported': 'exported the log for analysts',
  'case.opened': 'opened the case about {caseId}',
  'case.reopened': 'reopened the case about {caseId}',
  'case.claimed': 'claimed the case about {caseId}',
  'case.disclosed': 'was shown the texts of the case about {caseId}',
  'case.released': 'released the case about {caseId}',
  'case.noted': 'wrote a note in the case about {caseId}',
  'case.decided': 'decided the case about {caseId}',
  'case.appealed': 'appealed in the case about {caseId}',
  'case.appeal_upheld': 'upheld the decision of the case about {caseId}',
  'case.appeal_overturned': 'overturned the decision of the case about {caseId}',
  'case.effects_applied': 'applied the decision of the case about {caseId}',
  'case.effects_undone': 'undid the effects of the case about {caseId}',
};

const wordsOf = (type: string): string | Verb => (registryEntryOf(type) && words[type as EventType]) ?? type;

/** Words with places for ids: `restricted the post {postId}`. Of an unknown type, from a later release: the type. */
export function templateOf({ type, subject }: Pick<Told, 'type' | 'subject'>): string {
  const found = wordsOf(type);
  return typeof found === 'string' ? found : found.of(subject);
}

/** The act of such events, without ids: `restricted the post`. */
export function verbOf(type: string): string {
  const found = wordsOf(type);
  return typeof found === 'string' ? withoutIds(found) : found.verb;
}

/** The verb of a row of a rollup (projections/audit/subject.ts), as `relation.ended (like)`. */
export function verbOfAct(act: string): string {
  const [, type = act, kind] = /^([\w.]+)(?: \((follow|like)\))?$/.exec(act) ?? [];
  if (kind === undefined) return verbOf(type);
  return type === 'relation.ended'
    ? `ended a ${kind}`
    : kind === 'follow'
      ? 'followed somebody'
      : 'liked a post';
}

export const withoutIds = (template: string): string =>
  template.replaceAll(/( (of|to|for|about|by))? \{\w+\}/g, '');

/** Fields of the subject that a template has places for, in their order. */
export const fieldsOf = (template: string): readonly string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);

/** The event as a sentence without its end: who did what to whom, through which application, and for which case. */
export function sentenceOf(told: Told): readonly Part[] {
  const { subject, appId, cause } = told;
  const template = templateOf(told);
  const isThrough = appId !== null && !template.includes('{appId}');
  return [
    ...doerOf(told),
    ' ',
    ...partsOf(ofDoer(template, told), subject),
    ...(isThrough ? [', through ', { noun: 'application', id: appId } as const] : []),
    ...(template.includes('{caseId}') ? [] : causeOf(cause)),
  ];
}

/** Events that nobody but their subject causes, though their metadata may name nobody. */
const bySubject: Readonly<Partial<Record<string, 'actorId' | 'operatorId'>>> = {
  'account.registered': 'actorId',
  'operator.enrolled': 'operatorId',
};

export function doerOf(told: Told): readonly Part[] {
  const { type, operatorId, operator } = told;
  // The claimer of the case alone learns who reported (docs/adr/0029-cases.md).
  if (type === 'report.created') return ['Somebody'];
  const id = doerIdOf(told);
  const claimed = operator === null ? [] : [{ noun: 'claimed', id: operator } as const];
  if (id === undefined) return claimed.length === 0 ? ['The network'] : [...claimed, ' (claimed)'];
  const noun = operatorId === null && bySubject[type] !== 'operatorId' ? 'person' : 'operator';
  return [{ noun, id }, ...(claimed.length === 0 ? [] : [' (says: ', ...claimed, ')'])];
}

/** Undefined: only a claimed name tells, it is not told, or nobody did it. */
export function doerIdOf({ type, subject, actorId, operatorId, operator }: Told): string | undefined {
  if (operatorId !== null) return operatorId;
  if (operator !== null || type === 'report.created') return undefined;
  return actorId ?? subject[bySubject[type] ?? ''];
}

/** In place of the doer's name once more: `their account` for `the account of {actorId}`. */
function ofDoer(template: string, told: Told): string {
  const doer = doerIdOf(told);
  const isDoer = (field: string) => doer !== undefined && told.subject[field] === doer;
  return template
    .replaceAll(/\bthe ([a-z ]+) of \{(\w+)\}/g, (whole, noun: string, of: string) =>
      isDoer(of) ? `their ${noun}` : whole,
    )
    .replaceAll(/ (?:of|for) \{(\w+)\}/g, (whole, of: string) => (isDoer(of) ? '' : whole));
}

const nouns: Readonly<Partial<Record<string, Noun>>> = {
  postId: 'post',
  parentId: 'post',
  targetId: 'post',
  appId: 'application',
  operatorId: 'operator',
  grantId: 'grant',
  batchId: 'batch',
  caseId: 'case',
  approvalId: 'approval',
  jobId: 'job',
};

const partsOf = (template: string, subject: Ids): readonly Part[] =>
  template.split(/(\{\w+\})/).map((part): Part => {
    const field = /^\{(\w+)\}$/.exec(part)?.[1];
    const id = field === undefined ? undefined : subject[field];
    return field === undefined || id === undefined ? part : { noun: nouns[field] ?? 'person', id };
  });

function causeOf(cause: string | null): readonly Part[] {
  const [caseId, batchId] = cause === null ? [] : [caseIdOf(cause), batchIdOf(cause)];
  if (caseId !== undefined) return [', for the case about ', { noun: 'case', id: caseId }];
  return batchId === undefined ? [] : [', in the batch ', { noun: 'batch', id: batchId }];
}
