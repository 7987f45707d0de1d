/**
 * The published flow sends a nonce with every authorization request (network-api.md, "Authorization code flow", step 3).
 * It binds an ID token, so without the scope `openid` it has nothing to bind, and the library would refuse it.
 */
export function withoutIdleNonce(pathAndQuery: string): string {
  const [path = '', query] = pathAndQuery.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  if (!parameters.has('nonce') || parameters.get('scope')?.split(' ').includes('openid')) return pathAndQuery;
  parameters.delete('nonce');
  return `${path}?${parameters.toString()}`;
}
