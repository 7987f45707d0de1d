/** Paths below the issuer's (docs/api-decisions.md, "Authorization server paths"). */
export const routes = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  userinfo: '/oauth2/userinfo',
  introspection: '/oauth2/introspect',
  revocation: '/oauth2/revoke',
  end_session: '/oauth2/end-session',
  jwks: '/jwks',
} as const;

export const discoveryPaths = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
] as const;

export const protocolEndpoints = [
  ...discoveryPaths.map((path) => ['GET', path] as const),
  ['GET', routes.jwks],
  ['GET', routes.authorization],
  ['GET', `${routes.authorization}/:uid`],
  ['POST', routes.token],
  ['GET', routes.userinfo],
  ['POST', routes.introspection],
  ['POST', routes.revocation],
  ['GET', routes.end_session],
  ['POST', `${routes.end_session}/confirm`],
  ['GET', `${routes.end_session}/success`],
] as const;

export const clientAuthenticatedEndpoints: ReadonlySet<string> = new Set([
  routes.token,
  routes.introspection,
  routes.revocation,
]);

/** True for the endpoints that browsers open: their refusals are pages. */
export const isBrowserPath = (path: string): boolean =>
  path.startsWith(routes.authorization) || path.startsWith(routes.end_session);

/** Form parameters that are passed to the library; all others are dropped (RFC 6749, section 3.2). */
export const forwardedFormParameters = [
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'token',
  'token_type_hint',
  'client_id',
  'xsrf',
  'logout',
] as const;
