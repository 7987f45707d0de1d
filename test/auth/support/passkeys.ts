import { Authenticator } from '../../support/authenticator.js';
import { questionOf } from '../../support/console.js';
import { password } from './auth-network.js';
import type { SignedInPerson } from './account.js';
import type { PageAnswer, Visitor } from './visitor.js';

/** Answers the question of a page by a passkey, and sends its form, as the script of the page does. */
export function answerWith(
  authenticator: Authenticator,
  visitor: Visitor,
  page: PageAnswer,
  more: Readonly<Record<string, string>> = {},
): Promise<PageAnswer> {
  return visitor.submit(page, { ...more, credential: authenticator.get(questionOf(page)) });
}

export interface PersonWithPasskey extends SignedInPerson {
  readonly authenticator: Authenticator;
}

const addressOf = ({ page }: SignedInPerson): URL => new URL('/api/auth/account/passkeys', page.url);

/** A change of passkeys or second step, by the password. `what`: as in the link of the page. */
export async function changeByPassword(
  person: SignedInPerson,
  what: string,
  confirm = password,
): Promise<PageAnswer> {
  const asked = await person.visitor.open(`${addressOf(person).href}/change?act=${what}`);
  return person.visitor.submitTo(asked, '/passkeys/change', { confirm });
}

/** Adds a passkey to an account. */
export async function addPasskey<Person extends SignedInPerson>(
  person: Person,
  label = 'phone',
): Promise<Person & { readonly authenticator: Authenticator }> {
  const authenticator = new Authenticator(addressOf(person).origin);
  const page = await changeByPassword(person, 'add');
  const credential = authenticator.create(questionOf(page));
  const added = await person.visitor.submitTo(page, '/passkeys/new', { label, credential });
  if (added.status !== 200) throw new Error(`no passkey was added: ${added.status} ${added.text}`);
  return { ...person, authenticator };
}

/** Turns the second step on. Returns the codes. */
export async function requireSecondStep(person: SignedInPerson): Promise<readonly string[]> {
  const { text } = await changeByPassword(person, 'require');
  return [...text.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code = '']) => code);
}
