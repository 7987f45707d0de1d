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
