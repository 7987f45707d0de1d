const TWO_YEARS_S = 63_072_000;

/** HSTS for a network behind https (RFC 6797). Subdomains are left out: other services may use them. */
export function strictTransport(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${TWO_YEARS_S}` } : {};
}
