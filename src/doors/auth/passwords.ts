import { hash, verify } from '@node-rs/argon2';
import { normalizeText } from '../../domain/unicode.js';

/** OWASP's first recommendation for argon2id, the library's default algorithm: 19 MiB, two passes, one thread. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Code points in the longest accepted password. A longer one would only cost CPU time. */
export const PASSWORD_MAX_CODE_POINTS = 1024;
/** Code points in the shortest accepted password (NIST SP 800-63B, section 5.1.1.2). */
export const PASSWORD_MIN_CODE_POINTS = 8;

/**
 * Returns a message for an unacceptable password, or undefined. The length counts code points (SP 800-63B, section
 * 5.1.1.2) after normalization, so that the composition of accents does not matter.
 */
export function passwordFormProblem(password: string): string | undefined {
  const normalized = normalizeText(password, PASSWORD_MAX_CODE_POINTS);
  const { length } = Array.from('fault' in normalized ? password : normalized.text);
  if (length < PASSWORD_MIN_CODE_POINTS)
    return `This password is too short; it must have at least ${PASSWORD_MIN_CODE_POINTS} characters.`;
  if (length > PASSWORD_MAX_CODE_POINTS)
    return `This password is too long; it can have at most ${PASSWORD_MAX_CODE_POINTS} characters.`;
  if ('fault' in normalized) return `This password ${normalized.fault}.`;
  return undefined;
}

export class Passwords {
  /** Hash that is verified for an unknown account, so that the answer takes the same time. */
  private readonly decoy = hash('nobody has this password', cost);

  /**
   * Hashes a password.
   * @throws {RangeError} the password cannot be normalized: check it with {@link passwordFormProblem} first.
   */
  hash(password: string): Promise<string> {
    const normalized = normalizeText(password, PASSWORD_MAX_CODE_POINTS);
    if ('fault' in normalized) throw new RangeError(`a password cannot be hashed: it ${normalized.fault}`);
    return hash(normalized.text, cost);
  }

  /**
   * True if the password fits the hash. Takes the same time for an unknown account (`passwordHash` undefined), for
   * which it returns false.
   */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    const normalized = normalizeText(password, PASSWORD_MAX_CODE_POINTS);
    if ('fault' in normalized || Array.from(normalized.text).length > PASSWORD_MAX_CODE_POINTS) return false;
    const isRight = await verify(passwordHash ?? (await this.decoy), normalized.text);
    return isRight && passwordHash !== undefined;
  }
}
