import { Fault } from '../rules/faults.js';
import type { FormFields, HttpExchange } from '../storage/exchange.js';
import type { BrowserSessions, SignedIn } from './browser-sessions.js';
import type { CsrfProtection } from './csrf-protection.js';

/** The holder of the forms of a session: see csrf-protection.ts. */
export const holderOfSession = ({ uid }: SignedIn): string => `session:${uid}`;

interface SignedInPages {
  readonly sessions: BrowserSessions;
  readonly csrf: CsrfProtection;
}

/** @throws {Fault} nobody is signed in in this browser, or the form is of another page. */
export async function checkSignedIn(
  { sessions, csrf }: SignedInPages,
  exchange: HttpExchange,
  fields: FormFields,
): Promise<SignedIn> {
  const { headers } = exchange.request;
  csrf.checkOrigin(headers);
  const signedIn = await sessions.find(exchange);
  if (!signedIn) throw new Fault(403, 'login_required', 'You are no longer signed in. Nothing was changed.');
  csrf.check(holderOfSession(signedIn), headers, fields);
  return signedIn;
}
