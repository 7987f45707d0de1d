/** Parsing a non-ASCII host takes quadratic time. No spelling of the base URL exceeds this multiple of its length. */
const MAX_LENGTH_RATIO = 4;

/** True if a resource indicator (RFC 8707, section 2) names this network, the only audience of its tokens. */
export function isOwnResource(resource: string, baseUrl: string): boolean {
  if (resource.length > MAX_LENGTH_RATIO * baseUrl.length) return false;
  return URL.parse(resource)?.href === new URL(baseUrl).href;
}
