const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** How long what leads to tokens, and tokens themselves, are good: seconds (network-api.md, "Limits"). */
export const lifetimes = {
  /** From where a browser is asked for consent to where it comes for the code. */
  interaction: 15 * MINUTE,
  code: MINUTE,
  accessToken: 5 * MINUTE,
  /** Of all that replace it too, counted from the first. */
  refreshToken: 30 * DAY,
} as const;

/**
 * How long after its consent a grant with these scopes can still give authority: milliseconds, at the most, where
 * every step is taken in the last moment. It ends by nothing but time then, and no event says so.
 */
export function usableFor(scopes: readonly string[]): number {
  const { interaction, code, accessToken, refreshToken } = lifetimes;
  const refreshes = scopes.includes('offline_access') ? refreshToken : 0;
  return (interaction + code + refreshes + accessToken) * 1000;
}
