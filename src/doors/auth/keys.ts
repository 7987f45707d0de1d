import { createHmac, randomBytes } from 'node:crypto';
import type { NetworkSecrets } from '../../log/vault/network-secrets.js';
import type { KeySet } from './signing-keys.js';

/**
 * Secrets of the authorization server, created at the network's first start if they are missing, and shared by all
 * processes.
 */
export interface AuthKeys {
  readonly cookies: string;
  /** Key that signs the hidden field of a page's form. */
  readonly forms: Buffer;
  /** Key that derives an actor's pairwise subject for each application. */
  readonly pairwise: Buffer;
  readonly signing: KeySet;
}

export type StaticKeys = Omit<AuthKeys, 'signing'>;

export async function loadStaticKeys(secrets: NetworkSecrets): Promise<StaticKeys> {
  const cookies = await secrets.get('cookie-keys', () => randomBytes(32));
  const pairwise = await secrets.get('pairwise-subjects', () => randomBytes(32));
  return {
    cookies: cookies.toString('base64url'),
    forms: createHmac('sha256', cookies).update('forms').digest(),
    pairwise,
  };
}
