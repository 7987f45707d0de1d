import { timingSafeEqual } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';

/** Makes the library compare a presented secret with the stored hashes (see client.adapter.ts), in constant time. */
export function compareSecretHashes(provider: Provider): void {
  Object.defineProperty(provider.Client.prototype, 'compareClientSecret', {
    value(this: { clientSecret: string }, presented: string): boolean {
      const hash = credentialHash(presented);
      return this.clientSecret
        .split('.')
        .map((known) => timingSafeEqual(Buffer.from(known, 'base64'), hash))
        .includes(true);
    },
  });
}
