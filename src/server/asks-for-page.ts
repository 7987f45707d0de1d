import type { IncomingHttpHeaders } from 'node:http';

/** True if Accept names text/html (RFC 9110, section 12.5.1), as browsers do; a wildcard, as probes send it, does not. */
export function asksForPage({ accept = '' }: Pick<IncomingHttpHeaders, 'accept'>): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}
