import { Injectable } from '@nestjs/common';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { credentialHash, passwordFingerprint } from '../../base/store/authority/credential-hash.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { Addresses } from './addresses.js';
import type { AddressHolder } from './addresses.js';

export const RECOVERY_LINK_MINUTES = 30;

interface Row {
  readonly actor_id: string;
  readonly password_fingerprint: string;
  readonly address_proof: string;
}

const findLink = {
  name: 'recovery-link',
  text: `SELECT actor_id, password_fingerprint, address_proof FROM authority.recovery_link
    WHERE token_hash = $1 AND expires_at > $2`,
};

/**
 * Links that set a new password, by mail. Only the hash of a token is stored. A link is bound to the password and the
 * proof of the address that the account had: a change of either ends it. A new request does not.
 */
@Injectable()
export class RecoveryLinks {
  constructor(
    private readonly store: AuthorityStore,
    private readonly addresses: Addresses,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Returns the token of a new link, 128 random bits. */
  async make({ actorId, passwordHash, proof }: AddressHolder): Promise<string> {
    const token = this.ids.random();
    const expiresAt = this.clock.now() + RECOVERY_LINK_MINUTES * 60_000;
    await this.store.query({
      text: `INSERT INTO authority.recovery_link (token_hash, actor_id, password_fingerprint, address_proof, expires_at)
        VALUES ($1, $2, $3, $4, $5)`,
      values: [credentialHash(token), actorId, passwordFingerprint(passwordHash), proof, expiresAt],
    });
    return token;
  }

  /** The person whose password the link sets; undefined: there is none, or it has ended. */
  async holderOf(token: string): Promise<AddressHolder | undefined> {
    const [row] = await this.store.rows<Row>(findLink, [credentialHash(token), this.clock.now()]);
    const holder = row && (await this.addresses.holder(row.actor_id));
    if (!holder?.isVerified || holder.proof !== row?.address_proof) return undefined;
    return passwordFingerprint(holder.passwordHash) === row.password_fingerprint ? holder : undefined;
  }
}
