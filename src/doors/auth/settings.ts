export class AuthSettings {
  readonly issuer: string;

  /**
   * @param baseUrl origin of the network, without a trailing slash.
   * @param operatorContact an e-mail address or a URL; undefined: pages name the operators alone
   */
  constructor(
    readonly baseUrl: string,
    readonly operatorContact: string | undefined,
  ) {
    this.issuer = `${baseUrl}${AUTH_PREFIX}`;
  }
}

export const AUTH_PREFIX = '/api/auth';

export const ACCOUNT_PATH = `${AUTH_PREFIX}/account`;

export const HISTORY_PATH = `${ACCOUNT_PATH}/history`;

/** The page that a suspended person can open. */
export const APPEAL_PATH = `${ACCOUNT_PATH}/appeal`;

/** Pages of who does not remember the password. The cookie with the token of a link is sent to them alone. */
export const RECOVERY_PATH = `${ACCOUNT_PATH}/recovery`;

/** Passkeys and the second step of a person. */
export const PASSKEYS_PATH = `${ACCOUNT_PATH}/passkeys`;

/** After the password at the account page, or after a new one. */
export const SECOND_STEP_PATH = `${ACCOUNT_PATH}/second-step`;

export const ADDRESS_PATH = `${ACCOUNT_PATH}/address`;

export const INTERACTION_PATH = `${AUTH_PREFIX}/interaction`;
