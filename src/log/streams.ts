/** Builds the names of all streams, `<category>-<id>`. No other file builds or reads them. */
export const streams = {
  /**
   * No event is ever written to it: the check that the log is writable appends here with an expected revision that no
   * stream has.
   */
  readiness: () => 'readiness',
  /** Never exists either: the proof of a leader appends no events to it. */
  barrier: () => 'plaza_barrier',
  network: () => 'network',
  account: (actorId: string) => `account-${actorId}`,
  handle: (digest: string) => `handle-${digest}`,
  application: (appId: string) => `application-${appId}`,
  applicationChanges: (appId: string) => `plaza_application_changes-${appId}`,
  grant: (grantId: string) => `grant-${grantId}`,
  post: (postId: string) => `post-${postId}`,
  /**
   * Follows and blocks between two actors, in both directions. One stream has them all, so that a follow and a block
   * at the same time conflict.
   */
  pair: (first: string, second: string) => `pair-${[first, second].sort().join('.')}`,
  like: (actorId: string, postId: string) => `like-${actorId}.${postId}`,
  profile: (actorId: string) => `profile-${actorId}`,
  inboxRead: (id: string) => `inbox-${id}`,
  report: (reportId: string) => `report-${reportId}`,
  backup: (backupId: string) => `plaza_backup-${backupId}`,
  operator: (operatorId: string) => `plaza_operator-${operatorId}`,
  operatorName: (digest: string) => `plaza_operator_name-${digest}`,
  auditExport: (exportId: string) => `plaza_audit_export-${exportId}`,
  batch: (batchId: string) => `plaza_batch-${batchId}`,
  approval: (approvalId: string) => `plaza_approval-${approvalId}`,
  fourEyes: () => 'plaza_four_eyes',
  operatorRestrictions: (operatorId: string) => `plaza_operator_restrictions-${operatorId}`,
  registration: () => 'plaza_registration',
  job: (jobId: string) => `plaza_job-${jobId}`,
  signIns: (actorId: string) => `plaza_sign-ins-${actorId}`,
  /** Changes of the ways into an account. */
  access: (actorId: string) => `plaza_access-${actorId}`,
  /** Links by which operators let a person set a new password. */
  recoveryLinks: (actorId: string) => `plaza_recovery_links-${actorId}`,
  accountExports: (actorId: string) => `plaza_account_exports-${actorId}`,
  /** Changes of passkeys and recovery codes, apart from those: of the former, mails to former addresses need the newest. */
  factors: (actorId: string) => `plaza_factors-${actorId}`,
  /** One event: looks in an hour. */
  look: (lookId: string) => `plaza_look-${lookId}`,
  analyticsExport: (exportId: string) => `plaza_analytics_export-${exportId}`,
  /** Apart from the operator's stream, as sign-ins are: commands read that one whole. */
  operatorDisclosures: (operatorId: string) => `plaza_operator_disclosures-${operatorId}`,
  operatorSignIns: (operatorId: string) => `plaza_operator_sign_ins-${operatorId}`,
  case: (caseId: string) => `plaza_case-${caseId}`,
  downloads: (actorId: string) => `plaza_downloads-${actorId}`,
};

/** The ids in the names of streams about persons, posts, grants and applications, as fields of events, in their order. */
const idsInNames: Readonly<Record<string, readonly ('actorId' | 'postId' | 'grantId' | 'appId')[]>> = {
  account: ['actorId'],
  profile: ['actorId'],
  'plaza_sign-ins': ['actorId'],
  plaza_access: ['actorId'],
  plaza_recovery_links: ['actorId'],
  plaza_account_exports: ['actorId'],
  plaza_factors: ['actorId'],
  plaza_downloads: ['actorId'],
  pair: ['actorId', 'actorId'],
  like: ['actorId', 'postId'],
  post: ['postId'],
  grant: ['grantId'],
  application: ['appId'],
  plaza_application_changes: ['appId'],
};

/** Returns each subject that the name of a stream names, by the field of its id; undefined: the name has none. */
export function subjectsInName(stream: string): readonly Readonly<Record<string, string>>[] | undefined {
  const category = Object.keys(idsInNames).find((each) => stream.startsWith(`${each}-`));
  if (category === undefined) return undefined;
  const ids = stream.slice(category.length + 1).split('.');
  return idsInNames[category]?.flatMap((field, n) => (ids[n] === undefined ? [] : [{ [field]: ids[n] }]));
}

const idIn = (stream: string, prefix: string): string | undefined =>
  stream.startsWith(prefix) ? stream.slice(prefix.length) : undefined;

/** Undefined: it is the stream of something else. */
export const caseIdOf = (stream: string): string | undefined => idIn(stream, streams.case(''));

/** Undefined: it is the stream of something else. */
export const batchIdOf = (stream: string): string | undefined => idIn(stream, streams.batch(''));

export const isApprovalStream = (stream: string): boolean => stream.startsWith(streams.approval(''));

/** Plaza's own streams: whole names, and how others begin. `plaza_` is for streams of later releases too. */
export const ownStreams = {
  names: ['network', 'readiness'],
  prefixes: [
    'account-',
    'handle-',
    'application-',
    'grant-',
    'post-',
    'pair-',
    'like-',
    'profile-',
    'inbox-',
    'report-',
    'plaza_',
  ],
};

/** .NET regular expression for the names of {@link isOwnStream}. */
export const ownStreamExpression = `^(?:(?:${ownStreams.names.join('|')})$|${ownStreams.prefixes.join('|')})`;

const ownStream = new RegExp(ownStreamExpression);

export const isOwnStream = (name: string): boolean => ownStream.test(name);

export const isForeignStream = (name: string): boolean => !name.startsWith('$') && !isOwnStream(name);
