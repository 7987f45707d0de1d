import { SigningKeys } from '../../commands/network/signing-keys.js';
import type { NextKey, SigningKeyState } from '../../commands/network/signing-keys.js';
import type { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { PUBLISHED_BEFORE_USE_MS, makeSigningKey, readRing, keyPhases, writeRing } from './signing-keys.js';
import type { KeyRing, SigningKey } from './signing-keys.js';

export class VaultSigningKeys extends SigningKeys {
  constructor(private readonly secrets: NetworkSecrets) {
    super();
  }

  /** Returns the signing keys in the vault, and creates one if there is none. Rejects if the vault is unreachable. */
  async ring(): Promise<KeyRing> {
    return readRing(await this.stored());
  }

  override async next(now: number): Promise<NextKey> {
    let newKey: SigningKey | undefined;
    for (;;) {
      const stored = await this.stored();
      const phases = keyPhases(readRing(stored), now);
      const next = phases.find(({ state }) => state === 'next');
      if (next) return { keyId: next.jwk.kid, signsFrom: next.signsFrom };
      newKey ??= await makeSigningKey(now + PUBLISHED_BEFORE_USE_MS);
      // Compare and swap: of two concurrent rotations, the second one finds the key of the first.
      if (await this.secrets.replace('signing-keys', stored, writeRing([...phases, newKey])))
        return { keyId: newKey.jwk.kid, signsFrom: newKey.signsFrom };
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
