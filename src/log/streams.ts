/** The only place that builds or reads stream names: `<category>-<id>`. */
export const streams = {
  /** Never written: the check whether the log takes appends expects a revision of it that no stream has. */
  readiness: () => 'readiness',
  network: () => 'network',
  account: (actorId: string) => `account-${actorId}`,
  /** `digest`: keyed digest of the handle (see `HandleDigest`), so that the name tells nobody the handle. */
  handle: (digest: string) => `handle-${digest}`,
  application: (appId: string) => `application-${appId}`,
  grant: (grantId: string) => `grant-${grantId}`,
  post: (postId: string) => `post-${postId}`,
  /** What two actors have done to each other: follows and blocks, either way. One stream, so that no follow outruns a block. */
  pair: (one: string, other: string) => `pair-${[one, other].sort().join('.')}`,
  like: (actorId: string, postId: string) => `like-${actorId}.${postId}`,
  profile: (actorId: string) => `profile-${actorId}`,
  /** One for each time that an actor marks entries as read: `id` derives from the intent. */
  inboxRead: (id: string) => `inbox-${id}`,
  /** `reportId` derives from the intent. */
  report: (reportId: string) => `report-${reportId}`,
};

const categories: ReadonlySet<string> = new Set([
  'readiness',
  'network',
  'account',
  'handle',
  'application',
  'grant',
  'post',
  'pair',
  'like',
  'profile',
  'inbox',
  'report',
]);
/** Categories that come later begin like this, so that code which does not know them takes them for the network's own. */
const later = /^plaza_[a-z]/;

/** Whether this network writes the stream, and not the server itself or another application on it. */
export function isOwnStream(name: string): boolean {
  const [category = ''] = name.split('-', 1);
  return categories.has(category) || later.test(category);
}

/** Of another application: neither the network's own nor the server's, whose streams begin with $. */
export const isForeignStream = (name: string): boolean => !name.startsWith('$') && !isOwnStream(name);
