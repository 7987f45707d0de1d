export interface BasicCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * `Authorization: Basic` (RFC 7617, section 2) with exactly one space and valid padding. The library accepts nothing
 * else, but refuses the rest only after a lookup.
 */
const basic = /^Basic ((?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}(?:==)?|[a-z0-9+/]{3}=?)?)$/i;
const visible = /^[\x20-\x7e]+$/;

/** Decodes HTTP Basic with percent-encoded parts (RFC 6749, section 2.3.1). Returns undefined for anything else. */
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

/** Returns the token of an `Authorization: Bearer` header (RFC 6750, section 2.1), or undefined. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
}
