/**
 * What the network's cookies are called. Behind https the prefixes keep other hosts and plain http from planting them
 * (RFC 6265bis, section 4.1.3): `__Host-` where the path is `/`, `__Secure-` where a page of its own has the cookie.
 */
export function cookieNames(baseUrl: string) {
  const behindTls = baseUrl.startsWith('https:');
  const host = behindTls ? '__Host-' : '';
  const secure = behindTls ? '__Secure-' : '';
  return {
    session: `${host}plaza_session`,
    interaction: `${secure}plaza_interaction`,
    resume: `${secure}plaza_resume`,
    visitor: `${host}plaza_visitor`,
    notice: `${host}plaza_notice`,
  } as const;
}
