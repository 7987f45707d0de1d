/**
 * Over https the prefixes keep other hosts and plain http from planting cookies (RFC 6265bis, section 4.1.3). `__Host-`
 * requires the path `/`; cookies with another path have `__Secure-`.
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
    knownBrowser: `${host}plaza_known_browser`,
    notice: `${host}plaza_notice`,
    appeal: `${secure}plaza_appeal`,
    recovery: `${secure}plaza_recovery`,
    secondStep: `${secure}plaza_second_step`,
  } as const;
}
