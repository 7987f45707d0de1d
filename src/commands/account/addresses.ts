import { Injectable } from '@nestjs/common';
import type { Factors } from '../../domain/account/factors.js';
import { mailboxOf } from '../../domain/account/mailbox.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { HandleDigest } from '../support/handle-digest.js';

/** A person with a password. `isVerified`: the proof of the credential is that of the address that the account has now. */
export interface AddressHolder {
  readonly actorId: string;
  /** Null: the registration is not applied yet. */
  readonly handle: string | null;
  readonly email: string;
  readonly state: 'active' | 'suspended';
  readonly passwordHash: string;
  readonly factors: Factors;
  readonly proof: string | null;
  readonly isVerified: boolean;
}

const found = (condition: string) => ({
  name: `address-holder-${condition.split(' ')[0]}`,
  text: `SELECT actor_id AS "actorId", handle, email, state, password_hash AS "passwordHash", factors, address_proof AS proof
    FROM authority.credential JOIN authority.account USING (actor_id)
    WHERE ${condition} AND state <> 'erased'`,
});
const byActor = found('actor_id = $1');
const byProof = found('address_proof = $1');

@Injectable()
export class Addresses {
  constructor(
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
  ) {}

  /** The keyed digest that a credential has once its person verified the address; undefined: no mail is sent to it. */
  async proofOf(address: string): Promise<string | undefined> {
    const mailbox = mailboxOf(address);
    return mailbox && this.digest.ofAddress(mailbox.key);
  }

  /** Undefined: unknown or erased, or without a password. */
  holder(actorId: string): Promise<AddressHolder | undefined> {
    return this.find(byActor, actorId);
  }

  /** The one person who verified the address and still has it; undefined: nobody. */
  async ownerOf(proof: string): Promise<AddressHolder | undefined> {
    const holder = await this.find(byProof, proof);
    return holder?.isVerified ? holder : undefined;
  }

  private async find(statement: typeof byActor, value: string): Promise<AddressHolder | undefined> {
    const [row] = await this.store.rows<Omit<AddressHolder, 'isVerified'>>(statement, [value]);
    if (!row) return undefined;
    return { ...row, isVerified: row.proof !== null && row.proof === (await this.proofOf(row.email)) };
  }
}
