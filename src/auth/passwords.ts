import { hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. Argon2id is the library's default algorithm. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** {@link passwordLength}. A longer one would only make the server work. */
export const PASSWORD_MAX = 1024;
/** NIST SP 800-63B, section 5.1.1.2. */
export const PASSWORD_MIN = 8;

/** Code points (SP 800-63B, section 5.1.1.2), in the form that is kept: however its accents are composed. */
export function passwordLength(password: string): number {
  return Array.from(password.normalize('NFC')).length;
}

/** Keeps and checks passwords. */
export class Passwords {
  /** What is checked where there is no account, so that both take the same time. */
  private readonly decoy = hash('nobody has this password', cost);

  /** PHC string of argon2id, with a salt of its own. */
  hash(password: string): Promise<string> {
    return hash(password.normalize('NFC'), cost);
  }

  /** Works as long for an account that does not exist (`passwordHash` undefined) as for one that does. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    if (passwordLength(password) > PASSWORD_MAX) return false;
    const right = await verify(passwordHash ?? (await this.decoy), password.normalize('NFC'));
    return right && passwordHash !== undefined;
  }
}
