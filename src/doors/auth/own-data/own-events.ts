import type { EventOf, EventType } from '../../../log/registry.js';

type KeyOf<Data> = Data extends unknown ? keyof Data & string : never;
type FieldOf<Type extends EventType> = KeyOf<EventOf<Type>['data']>;
type Data = Readonly<Record<string, unknown>>;

/** Words with places for the names of fields: `You followed {targetActorId}`. */
interface Words {
  readonly title: string;
  readonly of: (data: Data) => string;
}

/**
 * `owner`: the field with the person whose event it is. `by`: `owner` if it is theirs only when they caused it, since others
 * cause such events in their name or in a stream of theirs. `fields`: of the data; all others are left out. `isShown`: false
 * for an event that its owner is not told.
 */
interface Rule<Field extends string = string> {
  readonly owner: Field;
  readonly by: 'owner' | 'anybody';
  readonly fields: readonly Field[];
  readonly words: string | Words;
  readonly isShown?: (data: Data) => boolean;
}

const account = { owner: 'actorId', by: 'anybody', fields: [] } as const;
const grant = { owner: 'actorId', by: 'anybody', fields: ['grantId', 'appId'] } as const;
const post = { owner: 'authorActorId', by: 'owner', fields: ['postId'] } as const;
const ofOperators = { ...post, by: 'anybody' } as const;
const relation = { owner: 'actorId', by: 'owner', fields: ['kind', 'targetId', 'targetActorId'] } as const;
const block = { owner: 'actorId', by: 'owner', fields: ['targetActorId'] } as const;
const ruling = { owner: 'targetActorId', by: 'anybody', fields: ['decisionId', 'postId', 'notice'] } as const;

const isLike = ({ kind }: Data): boolean => kind === 'like';
const isOfPost = ({ postId }: Data): boolean => postId !== undefined;

/** The events that their person reads and takes along, in their words. A type that is not here is left out. */
const rules = {
  'account.registered': {
    ...account,
    fields: ['handle', 'displayName', 'email'],
    words: 'Your account was made',
  },
  'account.suspended': { ...account, words: 'Your account was suspended' },
  'account.reinstated': { ...account, words: 'Your account is no longer suspended' },
  'account.erasure_requested': {
    ...account,
    fields: ['erasesAt'],
    words: 'The deletion of your account was planned',
  },
  'account.erasure_cancelled': { ...account, words: 'The planned deletion of your account was cancelled' },
  'account.password_changed': { ...account, words: 'Your password was changed' },
  'account.signed_in': { ...account, words: 'You signed in' },
  'account.signed_out': { ...account, words: 'You signed out everywhere' },
  'account.address_verified': { ...account, words: 'Your e-mail address was confirmed' },
  'account.address_changed': {
    ...account,
    fields: ['address', 'previous'],
    words: 'Your e-mail address was changed',
  },
  'account.recovered': { ...account, words: 'Your password was set anew by a link in a mail' },
  'account.recovery_link_made': {
    ...account,
    fields: ['worksFrom', 'worksUntil'],
    words: 'The operators made a link that sets a new password for your account',
  },
  'account.recovery_link_ended': { ...account, words: 'The link of the operators was ended' },
  'account.recovery_link_used': {
    ...account,
    words: 'Your password was set anew by a link of the operators',
  },
  'account.data_disclosed': { ...account, words: 'The operators made a copy of your data' },
  'account.passkey_added': { ...account, words: 'A passkey was added to your account' },
  'account.passkey_removed': { ...account, words: 'A passkey was removed from your account' },
  'account.second_step_required': {
    ...account,
    words: 'The second step of your sign-in was turned on, with new recovery codes',
  },
  'account.second_step_lifted': { ...account, words: 'The second step of your sign-in was turned off' },
  'account.recovery_code_used': { ...account, words: 'A recovery code signed you in' },
  'download.begun': { ...account, fields: ['downloadId'], words: 'You began a download of your data' },
  'profile.changed': {
    ...account,
    fields: ['handle', 'displayName', 'bio', 'website', 'revision'],
    words: 'Your profile was changed',
  },
  'grant.issued': {
    ...grant,
    fields: [...grant.fields, 'scopes'],
    words: 'You allowed {appId} to act for you',
  },
  'grant.refreshed': { ...grant, words: 'The access of {appId} to your account was renewed' },
  'grant.reuse_detected': { ...grant, words: 'A code or token of {appId} was used a second time' },
  'grant.revoked': {
    ...grant,
    fields: [...grant.fields, 'cause'],
    words: 'The access of {appId} to your account ended',
  },
  'post.created': {
    ...post,
    fields: ['postId', 'text', 'audience', 'mentions', 'parentId', 'parentAuthorActorId', 'rootId'],
    words: {
      title: 'You published a post, or replied',
      of: ({ parentId }) =>
        parentId === undefined ? 'You published a post' : 'You replied to {parentAuthorActorId}',
    },
  },
  'post.edited': {
    ...post,
    fields: ['postId', 'text', 'mentions', 'revision'],
    words: 'You edited a post',
  },
  'post.deleted': { ...post, words: 'You deleted a post' },
  'post.restricted': { ...ofOperators, words: 'A post of yours was hidden' },
  'post.unrestricted': { ...ofOperators, words: 'A post of yours is no longer hidden' },
  'relation.established': {
    ...relation,
    words: {
      title: 'You followed somebody, or liked a post',
      of: (data) => (isLike(data) ? 'You liked a post of {targetActorId}' : 'You followed {targetActorId}'),
    },
  },
  'relation.ended': {
    ...relation,
    words: {
      title: 'You ended a follow or a like',
      of: (data) =>
        isLike(data)
          ? 'You stopped liking a post of {targetActorId}'
          : 'You stopped following {targetActorId}',
    },
  },
  'block.established': { ...block, words: 'You blocked {targetActorId}' },
  'block.ended': { ...block, words: 'You ended the block of {targetActorId}' },
  'inbox.read': {
    owner: 'actorId',
    by: 'owner',
    fields: ['ids', 'upTo'],
    words: 'You marked entries of your inbox as read',
  },
  'report.created': {
    owner: 'reporterActorId',
    by: 'owner',
    fields: ['reportId', 'postId', 'targetActorId', 'reason', 'text'],
    words: {
      title: 'You reported a post or a person',
      of: (data) =>
        isOfPost(data) ? 'You reported a post of {targetActorId}' : 'You reported {targetActorId}',
    },
  },
  'case.decided': {
    ...ruling,
    fields: [...ruling.fields, 'outcome', 'effects'],
    words: {
      title: 'The operators found a violation of the rules in a post of yours, or by you',
      of: (data) =>
        `The operators found a violation of the rules${isOfPost(data) ? ' in a post of yours' : ''}`,
    },
    // Without a violation, the event would tell that somebody reported.
    isShown: ({ outcome }) => outcome === 'violation',
  },
  'case.appealed': {
    owner: 'targetActorId',
    by: 'owner',
    fields: ['decisionId', 'postId', 'appeal'],
    words: 'You appealed against a decision',
  },
  'case.appeal_upheld': { ...ruling, words: 'After your appeal, another operator confirmed the decision' },
  'case.appeal_overturned': { ...ruling, words: 'After your appeal, another operator changed the decision' },
} satisfies { readonly [Type in EventType]?: Rule<FieldOf<Type>> };

/** A line of the inbox is no event of its person: others caused it. It is read as the network shows it now. */
export const INBOX_ENTRY = 'inbox.entry';

export const inboxEntry: Rule = {
  owner: 'actorId',
  by: 'anybody',
  fields: ['id', 'kind', 'sourceActorId', 'sourceId', 'readAt'],
  words: {
    title: 'Your inbox: somebody followed you, liked a post of yours, replied to you or mentioned you',
    of: ({ kind }) => `{sourceActorId} ${inboxVerbs[kind as keyof typeof inboxVerbs]}`,
  },
};

const inboxVerbs = {
  follow: 'followed you',
  like: 'liked a post of yours',
  reply: 'replied to you',
  mention: 'mentioned you',
} as const;

/** All kinds of lines, by their type. */
export const ownLineRules: Readonly<Record<string, Rule>> = { ...rules, [INBOX_ENTRY]: inboxEntry };

const typesBy = (by: Rule['by']): readonly string[] =>
  Object.entries(rules).flatMap(([type, rule]) => (rule.by === by ? type : []));

export const causedTypes = typesBy('owner');
export const concerningTypes = typesBy('anybody');

/** Words for all events of a type. */
export const titleOf = ({ words }: Rule): string =>
  typeof words === 'string'
    ? words.replace('{appId}', 'an application').replace('{targetActorId}', 'somebody')
    : words.title;

/** Words with places for names. */
export function wordsOf({ type, data }: { readonly type: string; readonly data: Data }): string {
  const words = ownLineRules[type]?.words ?? type;
  return typeof words === 'string' ? words : words.of(data);
}

/** Each field that a line may have, as its reader is told. */
export const fieldMeanings: Readonly<Record<string, string>> = {
  handle: 'the handle; null: it is hidden',
  displayName: 'the display name',
  email: 'the e-mail address',
  address: 'the new e-mail address',
  previous: 'the e-mail address before',
  erasesAt: 'when the account will be deleted',
  worksFrom: 'from when the link works',
  worksUntil: 'until when the link works',
  downloadId: 'the download',
  bio: 'the text about you',
  website: 'the website',
  revision: 'the number of the version of the profile or post, from 1',
  grantId: 'the access that you gave an application',
  appId: 'the application',
  scopes: 'what the application may do',
  cause: 'who or what ended the access',
  postId: 'the post',
  text: 'the text that you wrote',
  audience: 'who may read the post',
  mentions: 'the people whom the text mentions',
  parentId: 'the post that you replied to',
  parentAuthorActorId: 'the author of that post',
  rootId: 'the first post of the thread',
  kind: 'follow, like, reply or mention',
  targetId: 'the person whom you followed, or the post that you liked',
  targetActorId: 'the person whom you followed, blocked or reported, or the author of the post',
  ids: 'the entries of the inbox',
  upTo: 'all entries up to this time',
  reportId: 'the report',
  reason: 'the reason of the report',
  decisionId: 'the decision',
  outcome: 'the outcome of the decision',
  effects: 'what the decision did',
  notice: 'the text that the operators wrote to you',
  appeal: 'the text of your appeal',
  id: 'the entry of the inbox',
  sourceActorId: 'the person who did that',
  sourceId: 'the follower, the liked post, or the post that replies or mentions',
  readAt: 'when it was read',
};
