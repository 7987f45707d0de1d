const TWO_YEARS_S = 63_072_000;

/**
 * Header of every answer of a network behind https: browsers do not come back without it (RFC 6797). What else lives
 * below the host's name is not ours to speak for, so subdomains are left out.
 */
export function strictTransport(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${TWO_YEARS_S}` } : {};
}
