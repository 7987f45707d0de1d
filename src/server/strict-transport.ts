const TWO_YEARS_S = 63_072_000;

/**
 * Returns the HSTS header (RFC 6797) for a network behind https, else none. Subdomains are left out: other services may
 * use them.
 */
export function strictTransport(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${TWO_YEARS_S}` } : {};
}
