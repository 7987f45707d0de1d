import { hash, verify } from '@node-rs/argon2';
import { normalizeText } from '../domain/unicode.js';

/** OWASP's first recommendation for argon2id, the library's default algorithm: 19 MiB, two passes, one thread. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Code points. A longer password would only cost CPU time. */
export const PASSWORD_MAX = 1024;
/** NIST SP 800-63B, section 5.1.1.2. */
export const PASSWORD_MIN = 8;

/**
 * Returns a message for an unacceptable password, or undefined. The length counts code points (SP 800-63B, section
 * 5.1.1.2) after normalization, so that the composition of accents does not matter.
 */
export function passwordFormProblem(password: string): string | undefined {
  const normalized = normalizeText(password, PASSWORD_MAX);
  if ('fault' in normalized)
    return `This password ${normalized.fault}; it can have at most ${PASSWORD_MAX} characters.`;
  const { length } = Array.from(normalized.text);
  if (length < PASSWORD_MIN)
    return `This password is too short; it must have at least ${PASSWORD_MIN} characters.`;
  if (length > PASSWORD_MAX)
    return `This password is too long; it can have at most ${PASSWORD_MAX} characters.`;
  return undefined;
}

export class Passwords {
  /** Verified for an unknown account, so that the answer takes the same time. */
  private readonly decoy = hash('nobody has this password', cost);

  /** @throws {RangeError} see {@link passwordFormProblem} */
  hash(password: string): Promise<string> {
    const normalized = normalizeText(password, PASSWORD_MAX);
    if ('fault' in normalized) throw new RangeError(`a password ${normalized.fault}`);
    return hash(normalized.text, cost);
  }

  /** Takes the same time for an unknown account (`passwordHash` undefined). */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    const normalized = normalizeText(password, PASSWORD_MAX);
    if ('fault' in normalized || Array.from(normalized.text).length > PASSWORD_MAX) return false;
    const isRight = await verify(passwordHash ?? (await this.decoy), normalized.text);
    return isRight && passwordHash !== undefined;
  }
}
