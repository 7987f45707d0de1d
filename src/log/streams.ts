/** The only place that builds or reads stream names: `<category>-<id>`. */
export const streams = {
  network: () => 'network',
  account: (actorId: string) => `account-${actorId}`,
  /** `digest`: keyed digest of the handle (see `HandleDigest`), so that the name tells nobody the handle. */
  handle: (digest: string) => `handle-${digest}`,
  application: (appId: string) => `application-${appId}`,
  grant: (grantId: string) => `grant-${grantId}`,
  post: (postId: string) => `post-${postId}`,
};
