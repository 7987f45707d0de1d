/** What the authorization server is told from outside. */
export class AuthSettings {
  /** Identity of the authorization server, and the prefix of its endpoints' addresses. */
  readonly issuer: string;

  /** @param baseUrl origin of the network, without a trailing slash. */
  constructor(readonly baseUrl: string) {
    this.issuer = `${baseUrl}${AUTH_PREFIX}`;
  }
}

/** Path under which the authorization server and its pages live. */
export const AUTH_PREFIX = '/api/auth';

/** The account page, and the addresses its forms are sent to below it (decisions.md, "Authorization server paths"). */
export const ACCOUNT_PATH = `${AUTH_PREFIX}/account`;

/** The pages between an authorization request and its answer, each below the name of its interaction. */
export const INTERACTION_PATH = `${AUTH_PREFIX}/interaction`;
