import { PASSWORD_MAX, PASSWORD_MIN, passwordLength } from '../passwords.js';

/** Why this can be nobody's password, in words; undefined: it can. `others`: what anybody would try first. */
export function passwordFault(password: string, others: readonly string[]): string | undefined {
  const length = passwordLength(password);
  if (length < PASSWORD_MIN) return `A password has at least ${PASSWORD_MIN} characters.`;
  if (length > PASSWORD_MAX) return `A password has at most ${PASSWORD_MAX} characters.`;
  const guessed = others.some((other) => other.toLowerCase() === password.toLowerCase());
  return guessed ? 'Choose a password that is neither your handle nor your e-mail address.' : undefined;
}
