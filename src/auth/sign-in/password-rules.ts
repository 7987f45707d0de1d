import { passwordFormFault } from '../passwords.js';

/** Why this can be nobody's password, in words; undefined: it can. `others`: what anybody would try first. */
export function passwordFault(password: string, others: readonly string[]): string | undefined {
  const fault = passwordFormFault(password);
  if (fault !== undefined) return fault;
  const guessed = others.some((other) => other.toLowerCase() === password.toLowerCase());
  return guessed ? 'Choose a password that is neither your handle nor your e-mail address.' : undefined;
}
