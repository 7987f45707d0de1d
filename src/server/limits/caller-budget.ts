interface Caller {
  readonly appId: string;
  readonly actorId: string;
}

/**
 * Name under which limits count a caller. It has no address: the server of an application sends the requests of all its
 * users.
 */
export const callerLimitKey = ({ appId, actorId }: Caller): string => `${appId}:${actorId}`;

/** The name of a window of the social API. Userinfo takes its points from the window of the reads too. */
export const apiWindowName = (policy: string): string => `api:${policy}`;
