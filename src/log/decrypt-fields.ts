import { additionalDataFor } from './codec.js';
import { decrypt } from './encryption.js';
import type { Encrypted } from './encryption.js';
import type { KeyVault } from './vault/key-vault.js';

/** Ciphertext of the personal fields of an event, which a copy of the log or a data set has. */
export interface EncryptedFields extends Encrypted {
  readonly eventId: string;
  readonly type: string;
}

export type PersonalFields = Readonly<Record<string, unknown>>;

/** The ciphertext is of no event of this network, or was changed. */
export class ForeignCiphertext extends Error {
  override readonly name = 'ForeignCiphertext';
}

/**
 * Returns the personal fields of each event, in the order given; undefined: the key of the person is destroyed.
 * @throws {ForeignCiphertext} {@link LogUnavailable} the vault does not answer.
 */
export async function decryptFields(
  vault: Pick<KeyVault, 'keysById'>,
  events: readonly EncryptedFields[],
): Promise<readonly (PersonalFields | undefined)[]> {
  const keys = await vault.keysById(events.map(({ keyId }) => keyId));
  return events.map((event) => {
    if (!keys.has(event.keyId)) throw new ForeignCiphertext(event.eventId);
    const key = keys.get(event.keyId);
    if (!key) return undefined;
    try {
      const text = decrypt(key, event, additionalDataFor(event.eventId, event.type));
      return JSON.parse(text) as PersonalFields;
    } catch (cause) {
      throw new ForeignCiphertext(event.eventId, { cause });
    }
  });
}
