import { SigningKeys } from '../commands/network/signing-keys.js';
import type { NextKey, SigningKeyState } from '../commands/network/signing-keys.js';
import type { NetworkSecrets } from '../log/vault/network-secrets.js';
import { LEAD_MS, makeSigningKey, readRing, keyPhases, writeRing } from './signing-keys.js';
import type { KeyRing, SigningKey } from './signing-keys.js';

/** The ring of signing keys in the vault, one for all servers of the network. */
export class VaultSigningKeys extends SigningKeys {
  constructor(private readonly secrets: NetworkSecrets) {
    super();
  }

  /** Made with one key if there is none. Rejects if the vault is away. */
  async ring(): Promise<KeyRing> {
    return readRing(await this.stored());
  }

  override async next(now: number): Promise<NextKey> {
    let made: SigningKey | undefined;
    for (;;) {
      const stored = await this.stored();
      const standing = keyPhases(readRing(stored), now);
      const next = standing.find(({ state }) => state === 'next');
      if (next) return { keyId: next.jwk.kid, signsFrom: next.signsFrom };
      made ??= await makeSigningKey(now + LEAD_MS);
      // Only in the place of what was just looked at: of two operators at once, the second finds the first one's key.
      if (await this.secrets.replace('signing-keys', stored, writeRing([...standing, made])))
        return { keyId: made.jwk.kid, signsFrom: made.signsFrom };
    }
  }

  override async states(now: number): Promise<readonly SigningKeyState[]> {
    return keyPhases(await this.ring(), now).map((key) => ({
      kid: key.jwk.kid,
      state: key.state,
      signsFrom: key.signsFrom === 0 ? null : key.signsFrom,
      publishedUntil: key.state === 'retired' ? key.until : null,
    }));
  }

  private stored(): Promise<Buffer> {
    return this.secrets.get('signing-keys', async () => writeRing([await makeSigningKey(0)]));
  }
}
