import { hash, verify } from '@node-rs/argon2';
import { normalizeText } from '../domain/unicode.js';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. Argon2id is the library's default algorithm. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Code points. A longer one would only make the server work. */
export const PASSWORD_MAX = 1024;
/** NIST SP 800-63B, section 5.1.1.2. */
export const PASSWORD_MIN = 8;

/**
 * Why a password cannot be kept, in words; undefined: it can. Its length is in code points (SP 800-63B, section 5.1.1.2),
 * in the form that is kept: however its accents are composed.
 */
export function passwordFormFault(password: string): string | undefined {
  const normalized = normalizeText(password, PASSWORD_MAX);
  if ('fault' in normalized)
    return `This password ${normalized.fault}; it can have at most ${PASSWORD_MAX} characters.`;
  const { length } = Array.from(normalized.text);
  if (length < PASSWORD_MIN) return `A password has at least ${PASSWORD_MIN} characters.`;
  if (length > PASSWORD_MAX) return `A password has at most ${PASSWORD_MAX} characters.`;
  return undefined;
}

/** Keeps and checks passwords. */
export class Passwords {
  /** What is checked where there is no account, so that both take the same time. */
  private readonly decoy = hash('nobody has this password', cost);

  /** PHC string of argon2id, with a salt of its own. @throws {RangeError} see {@link passwordFormFault}. */
  hash(password: string): Promise<string> {
    const normalized = normalizeText(password, PASSWORD_MAX);
    if ('fault' in normalized) throw new RangeError(`a password ${normalized.fault}`);
    return hash(normalized.text, cost);
  }

  /** Works as long for an account that does not exist (`passwordHash` undefined) as for one that does. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    const normalized = normalizeText(password, PASSWORD_MAX);
    if ('fault' in normalized || Array.from(normalized.text).length > PASSWORD_MAX) return false;
    const right = await verify(passwordHash ?? (await this.decoy), normalized.text);
    return right && passwordHash !== undefined;
  }
}
