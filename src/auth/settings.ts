export class AuthSettings {
  readonly issuer: string;

  /** @param baseUrl origin of the network, without a trailing slash. */
  constructor(readonly baseUrl: string) {
    this.issuer = `${baseUrl}${AUTH_PREFIX}`;
  }
}

export const AUTH_PREFIX = '/api/auth';

export const ACCOUNT_PATH = `${AUTH_PREFIX}/account`;

export const INTERACTION_PATH = `${AUTH_PREFIX}/interaction`;
