/**
 * A resource that is longer than the base URL by this factor is not parsed: no spelling of the base URL is that long,
 * and parsing a non-ASCII host takes quadratic time.
 */
const MAX_LENGTH_RATIO = 4;

/** True if a resource indicator (RFC 8707, section 2) names this network, the only audience of its tokens. */
export function isOwnResource(resource: string, baseUrl: string): boolean {
  if (resource.length > MAX_LENGTH_RATIO * baseUrl.length) return false;
  return URL.parse(resource)?.href === new URL(baseUrl).href;
}
