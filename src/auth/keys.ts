import { createHmac, generateKeyPair, randomBytes } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import type { NetworkSecrets } from '../log/vault/network-secrets.js';

/** Secrets of the authorization server: made at the network's first start, the same in every process and after a restart. */
export interface AuthKeys {
  /** Signs the cookies of login sessions. */
  readonly cookies: string;
  /** Signs the hidden field of a page's form. */
  readonly forms: Buffer;
  /** Turns an actor into a subject that differs from application to application. */
  readonly pairwise: Buffer;
  /** Private JSON Web Keys that sign ID tokens. */
  readonly signing: { readonly keys: JsonWebKey[] };
}

/** Reads the keys, making those that are not there yet. */
export async function loadAuthKeys(secrets: NetworkSecrets): Promise<AuthKeys> {
  const cookies = await secrets.get('cookie-keys', () => randomBytes(32));
  const pairwise = await secrets.get('pairwise-subjects', () => randomBytes(32));
  const signing = await secrets.get('signing-keys', () => makeSigningKeys());
  return {
    cookies: cookies.toString('base64url'),
    forms: createHmac('sha256', cookies).update('forms').digest(),
    pairwise,
    signing: JSON.parse(signing.toString('utf8')) as { keys: JsonWebKey[] },
  };
}

/** RS256 is what a client may expect that was told nothing (OpenID Connect Core 1.0, section 15.1). */
async function makeSigningKeys(): Promise<Buffer> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
  return Buffer.from(JSON.stringify({ keys: [key] }));
}
