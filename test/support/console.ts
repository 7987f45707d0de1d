import type { Role } from '../../src/domain/operator/roles.js';
import type { OperatorClient } from './operator-client.js';
import { Browser } from '../../src/programs/demo/browser.js';
import type { BrowserPage } from '../../src/programs/demo/browser.js';
import { Authenticator } from './authenticator.js';
import { someName } from './operators.js';

/** An operator at the console, in a browser without scripts and with a passkey in software. */
export interface ConsoleUser {
  readonly operatorId: string;
  readonly roles: readonly Role[];
  readonly browser: Browser;
  readonly authenticator: Authenticator;
}

/** Invites an operator, who then accepts the invitation in the console, and is signed in. */
export async function enrollInConsole(
  baseUrl: string,
  client: OperatorClient,
  roles: readonly Role[],
  name = someName(),
): Promise<ConsoleUser> {
  const { operatorId, link } = await client.post('operators', { name, roles, reason: 'a test' });
  const user = {
    operatorId,
    roles,
    browser: new Browser(baseUrl),
    authenticator: new Authenticator(baseUrl),
  };
  const page = await user.browser.open(link);
  const { status, text } = await answerPasskey(user, page, { label: 'phone' });
  if (status !== 200) throw new Error(`the console did not enroll: ${status} ${text}`);
  return user;
}

export async function signInToConsole(
  baseUrl: string,
  user: Pick<ConsoleUser, 'browser' | 'authenticator'>,
): Promise<BrowserPage> {
  return answerPasskey(user, await user.browser.open(`${baseUrl}/console/sign-in`));
}

/** Does what the script of the page does: answers its question, and sends the form. */
export function answerPasskey(
  { browser, authenticator }: Pick<ConsoleUser, 'browser' | 'authenticator'>,
  page: BrowserPage,
  typed: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  const step = /data-passkey="(create|get)"/.exec(page.text)?.[1];
  const form = page.forms.find(({ fields }) => 'credential' in fields);
  if (!form || (step !== 'create' && step !== 'get'))
    throw new Error(`the page asks for no passkey: ${page.status} ${page.text}`);
  const credential = authenticator[step](questionOf(page));
  return browser.submit(page, form, { ...typed, credential });
}

export function questionOf({ text }: Pick<BrowserPage, 'text'>): { readonly challenge: string } {
  const options = /data-options="([^"]*)"/.exec(text)?.[1] ?? '{}';
  return JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as { challenge: string };
}
