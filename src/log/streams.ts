/** The only place that builds or reads stream names: `<category>-<id>`. */
export const streams = {
  /** Never written: the writability check appends with an expected revision that no stream has. */
  readiness: () => 'readiness',
  network: () => 'network',
  account: (actorId: string) => `account-${actorId}`,
  signIns: (actorId: string) => `sign-ins-${actorId}`,
  handle: (digest: string) => `handle-${digest}`,
  application: (appId: string) => `application-${appId}`,
  grant: (grantId: string) => `grant-${grantId}`,
  post: (postId: string) => `post-${postId}`,
  /** Follows and blocks in both directions. They share a stream, so that no follow overtakes a block. */
  pair: (first: string, second: string) => `pair-${[first, second].sort().join('.')}`,
  like: (actorId: string, postId: string) => `like-${actorId}.${postId}`,
  profile: (actorId: string) => `profile-${actorId}`,
  inboxRead: (id: string) => `inbox-${id}`,
  report: (reportId: string) => `report-${reportId}`,
};

const categories: ReadonlySet<string> = new Set([
  'readiness',
  'network',
  'account',
  'sign-ins',
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
/** Prefix of future categories, so that this version already counts them as the network's own. */
const futureCategory = /^plaza_[a-z]/;

export function isOwnStream(name: string): boolean {
  const category = /^(?:sign-ins(?=-)|[^-]*)/.exec(name)?.[0] ?? '';
  return categories.has(category) || futureCategory.test(category);
}

export const isForeignStream = (name: string): boolean => !name.startsWith('$') && !isOwnStream(name);
