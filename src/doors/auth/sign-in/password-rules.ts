import { passwordFormProblem } from '../passwords.js';
import { isCommonPassword } from './common-passwords.js';

/** Returns a message for an unacceptable password, or undefined. `others`: texts that an attacker would guess first. */
export function passwordProblem(password: string, others: readonly string[]): string | undefined {
  const fault = passwordFormProblem(password);
  if (fault !== undefined) return fault;
  if (isCommonPassword(password))
    return 'Many people use this password, so it is guessed first; choose another one.';
  const isGuessable = others.some((other) => other.toLowerCase() === password.toLowerCase());
  return isGuessable ? 'Choose a password that is neither your handle nor your e-mail address.' : undefined;
}
