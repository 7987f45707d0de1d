export interface Limit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Every limit of the network (docs/api-decisions.md, "Limits"). `RATE_LIMITS=off` lifts the quotas and `openStreams`;
 * the limits of connections, of slow readers, of bodies and of requests in work stay.
 */
export const limits = {
  anonymous: {
    reads: { quota: 120, windowSeconds: 60 },
    events: { quota: 30, windowSeconds: 60 },
  },
  bearer: {
    reads: { quota: 3_000, windowSeconds: 300 },
    writes: { quota: 300, windowSeconds: 300 },
  },
  /**
   * Rejected credentials, for each address: each costs a look-up. Twice an actor's reads, since an application's
   * server speaks for all its users, and some clients detect an ended token by its rejection.
   */
  refused: {
    address: { quota: 6_000, windowSeconds: 300 },
  },
  /**
   * Refreshes of a grant. Each is an event in the log for good. A token lives for 5 minutes, so one refresh in that
   * time is enough.
   */
  refreshes: {
    grant: { quota: 60, windowSeconds: 300 },
  },
  /**
   * Open event streams of one API process: for each listener, in total, and of anonymous listeners, which must leave
   * room for applications.
   */
  openStreams: { ofListener: 10, ofProcess: 2_000, anonymous: 1_000 },
  /**
   * Seconds of `Retry-After` for an event stream beyond `openStreams`: until one of the listener's own, or one of the
   * process, may have closed.
   */
  streamRetrySeconds: { ofListener: 5, ofProcess: 30 },
  /** A client of a stream that reads nothing for this time is disconnected. */
  streamReading: { idleMs: 20_000 },
  /**
   * Bounds on the server's resources for slow clients: see `ConnectionLimits`. Node closes between one and two times
   * `idleMs` after the last byte, and up to `arrivalCheckMs` later than `arrivalMs` after a request's first byte.
   */
  connections: {
    idleMs: 15_000,
    requests: 8,
    unreadBytes: 64 * 1024 * 1024,
    open: 5_000,
    /** From one address, which may be an application's server with all streams of a process. */
    ofAddress: 2_500,
    arrivalMs: 30_000,
    arrivalCheckMs: 5_000,
  },
  /**
   * Requests of the API in work at once in a process, of each class; one address alone has half of them, which is enough
   * to keep the process busy. With more they would only wait for each other.
   */
  inWork: 128,
  signIn: {
    account: { quota: 10, windowSeconds: 600 },
    address: { quota: 100, windowSeconds: 600 },
  },
  /**
   * Tries to confirm the password on the account page, for each account and browser: other browsers cannot use them up.
   */
  signedIn: {
    session: { quota: 10, windowSeconds: 600 },
  },
  authorization: {
    address: { quota: 600, windowSeconds: 600 },
  },
  /**
   * Sign-up attempts. They have a limit of their own and are never refunded, so that sign-ups cannot use up the tries
   * to sign in.
   */
  signUp: {
    address: { quota: 100, windowSeconds: 600 },
  },
  /**
   * Requests for mails from an address of the network, for a link by which to set a password or to verify an address. Of
   * mails that ask to verify an address: those to a mailbox, and those that an account asks for; a sign-up takes of both. Of
   * mails with a link that sets a password: those to a person, in no more time than such a link works.
   */
  mail: {
    address: { quota: 20, windowSeconds: 3_600 },
    mailbox: { quota: 5, windowSeconds: 3_600 },
    account: { quota: 5, windowSeconds: 3_600 },
    recovery: { quota: 5, windowSeconds: 1_800 },
  },
  /** Limits of bodies in JSON, and of forms. Decoding 12,000 parameters in a form of 61 kB would take 20 ms. */
  bodies: { bytes: 64 * 1024, parameters: 100 },
} as const;

export const ERASURE_DELAY_DAYS = 7;
