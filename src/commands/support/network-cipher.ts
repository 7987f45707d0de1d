import { createSecretKey, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { NONCE_BYTES } from '../../base/support/aes-gcm.js';
import { decrypt, encrypt } from '../../log/encryption.js';
import type { PersonKey } from '../../log/vault/key-vault.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';

/** A text of one purpose is no text of another. */
type Purpose = 'mail request' | 'address link' | 'history cursor' | 'link ending';

/** Encrypts texts that wait in the database, or come back from a browser, under a secret of the network. */
@Injectable()
export class NetworkCipher {
  private known: PersonKey | undefined;

  constructor(private readonly secrets: NetworkSecrets) {}

  async encrypt(purpose: Purpose, content: object): Promise<string> {
    return encrypt(await this.key(), JSON.stringify(content), purpose, randomBytes(NONCE_BYTES)).box;
  }

  /** Undefined: the text is of another purpose or network, or was changed. @throws errors of the vault */
  async decrypt(purpose: Purpose, box: string): Promise<unknown> {
    const key = await this.key();
    try {
      return JSON.parse(decrypt(key, { keyId: key.id, box }, purpose));
    } catch {
      // Anybody can send any text, which is no fault of the network.
      return undefined;
    }
  }

  private async key(): Promise<PersonKey> {
    this.known ??= {
      id: 'mail-keys',
      key: createSecretKey(await this.secrets.get('mail-keys', () => randomBytes(32))),
    };
    return this.known;
  }
}
