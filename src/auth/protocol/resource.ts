/** Whether a resource indicator (RFC 8707, section 2) names this network, which is all that its tokens are for. */
export function isOwnResource(resource: string, baseUrl: string): boolean {
  return URL.parse(resource)?.href === new URL(baseUrl).href;
}
