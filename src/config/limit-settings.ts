/** How often something may be done: `quota` times in a window of so many seconds. */
export interface Limit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Every limit of the network (decisions.md, "Limits"). `RATE_LIMITS` says whether they hold. */
export const limits = {
  /** Reads without a token, from one address. Those of events and reconcile have a budget of their own. */
  anonymous: {
    reads: { quota: 120, windowSeconds: 60 },
    events: { quota: 30, windowSeconds: 60 },
  },
  /** With a token, of one actor through one application. */
  bearer: {
    reads: { quota: 3_000, windowSeconds: 300 },
    writes: { quota: 300, windowSeconds: 300 },
  },
  /**
   * Credentials that are refused, of an address: each costs a look-up, and nobody else's budget. Twice what one actor may
   * read, since an application's server speaks for all its users, and some learn by a refusal that a token has ended.
   */
  refused: {
    address: { quota: 6_000, windowSeconds: 300 },
  },
  /**
   * Event streams that may be open at each API process: of one listener, of all listeners, and of those of them who come
   * without a token, so that these leave room for applications.
   */
  openStreams: { ofListener: 10, ofProcess: 2_000, anonymous: 1_000 },
  /**
   * What clients may have a server hold for them: see `ConnectionLimits`. Node tells between one and two times `idleMs`
   * after the last byte moved.
   */
  connections: { idleMs: 15_000, requests: 8, unreadBytes: 64 * 1024 * 1024, open: 5_000 },
  /** Tries to sign in: on one account, whether or not it exists, and from one address. */
  signIn: {
    account: { quota: 10, windowSeconds: 600 },
    address: { quota: 100, windowSeconds: 600 },
  },
  /** Tries to prove oneself again at the account page, of one account in one browser: nobody else can use them up. */
  signedIn: {
    session: { quota: 10, windowSeconds: 600 },
  },
  /** Requests that a browser is sent with, to begin a sign-in or a sign-out: each may keep a row for a quarter of an hour. */
  authorization: {
    address: { quota: 600, windowSeconds: 600 },
  },
  /** Tries to make an account. A budget of its own, since nothing is given back: it is not to keep anybody from signing in. */
  signUp: {
    address: { quota: 100, windowSeconds: 600 },
  },
} as const;

/** How long a person who asked for their account to be deleted can keep it after all: days. */
export const ERASURE_DELAY_DAYS = 7;
