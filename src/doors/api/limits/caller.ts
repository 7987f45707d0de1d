import { HttpRefusal } from '../../../server/errors.js';

export interface Caller {
  readonly actorId: string;
  readonly appId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Expiry of the access token, in Unix milliseconds. */
  readonly expiresAt: number;
}

/**
 * Refusal of a request with a valid token: its account or application is suspended, or its grant lacks the scope. The
 * refusal counts against the limits of the caller, who is known.
 */
export class CallerRefusal extends HttpRefusal {
  constructor(
    readonly caller: Caller,
    ...refusal: ConstructorParameters<typeof HttpRefusal>
  ) {
    super(...refusal);
  }
}
