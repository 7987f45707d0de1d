/** What an application authenticates with. */
export interface BasicCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 7617, section 2. One space, since the library takes no more. */
const basic = /^Basic ([A-Za-z0-9+/]+={0,2})$/i;
/** What a credential may be made of (RFC 6749, appendix A.1 and A.2). */
const visible = /^[\x20-\x7e]+$/;

/** Name and secret, each percent-encoded (RFC 6749, section 2.3.1). Undefined: these are none. */
export function basicCredentials(authorization: string | undefined): BasicCredentials | undefined {
  const encoded = basic.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, name = '', secret = ''] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  try {
    const [clientId, clientSecret] = [unescape(name), unescape(secret)];
    return visible.test(clientId) && visible.test(clientSecret) ? { clientId, clientSecret } : undefined;
  } catch {
    return undefined;
  }
}

const unescape = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/** RFC 6750, section 2.1: the one way in which an access token is taken. Undefined: there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
}
