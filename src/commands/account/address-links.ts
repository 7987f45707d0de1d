import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { id, time } from '../../domain/event.js';
import { passwordFingerprint } from '../../base/store/authority/credential-hash.js';
import { Clock } from '../../base/support/clock.js';
import { NetworkCipher } from '../support/network-cipher.js';
import type { AddressHolder } from './addresses.js';

export const ADDRESS_LINK_HOURS = 24;
/** A token has some 700 characters at most. */
const TOKEN_MAX = 2_000;

const shape = z.strictObject({
  actorId: id,
  address: z.string(),
  from: z.string(),
  password: z.string(),
  until: time,
});

/** `address`: the one to verify. `from`: the account's at that time. `password`: a fingerprint. */
export type AddressLink = z.infer<typeof shape>;

/**
 * Tokens of the links that verify an address. A token is the whole link, encrypted, so nothing is stored until the
 * address is verified. It proves that a mail to the address was read, and opens nothing: its person must be signed in.
 */
@Injectable()
export class AddressLinks {
  constructor(
    private readonly cipher: NetworkCipher,
    private readonly clock: Clock,
  ) {}

  make({ actorId, email, passwordHash }: AddressHolder, address: string): Promise<string> {
    const link: AddressLink = {
      actorId,
      address,
      from: email,
      password: passwordFingerprint(passwordHash),
      until: this.clock.now() + ADDRESS_LINK_HOURS * 60 * 60_000,
    };
    return this.cipher.encrypt('address link', link);
  }

  /** Undefined: the token is no link of this network, or is too old. @throws errors of the vault */
  async read(token: string): Promise<AddressLink | undefined> {
    if (token.length > TOKEN_MAX) return undefined;
    const link = shape.safeParse(await this.cipher.decrypt('address link', token)).data;
    return link && link.until > this.clock.now() ? link : undefined;
  }
}
