const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/**
 * Seconds (network-api.md, "Limits"). `interaction`: from the consent request to the fetch of the code. `refreshToken`:
 * counted from the first token, replacements included.
 */
export const tokenLifetimes = {
  interaction: 15 * MINUTE,
  code: MINUTE,
  accessToken: 5 * MINUTE,
  refreshToken: 30 * DAY,
} as const;

/**
 * Returns the maximum time from consent to the last use of authority, in milliseconds. The grant then expires without
 * an event.
 */
export function grantLifetimeOf(scopes: readonly string[]): number {
  const { interaction, code, accessToken, refreshToken } = tokenLifetimes;
  const refreshes = scopes.includes('offline_access') ? refreshToken : 0;
  return (interaction + code + refreshes + accessToken) * 1000;
}
