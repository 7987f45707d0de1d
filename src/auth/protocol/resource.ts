/** Parsing a URL is the square of its host's length where that is not ASCII. No spelling of the base URL is so long. */
const LONGEST_SPELLING = 4;

/** Whether a resource indicator (RFC 8707, section 2) names this network, which is all that its tokens are for. */
export function isOwnResource(resource: string, baseUrl: string): boolean {
  if (resource.length > LONGEST_SPELLING * baseUrl.length) return false;
  return URL.parse(resource)?.href === new URL(baseUrl).href;
}
