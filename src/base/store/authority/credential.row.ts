import type { Factors } from '../../../domain/account/factors.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Password hash of a person, the proof of the address that they verified, passkeys and recovery codes. They are not derived
 * from the log, because they must be deletable.
 */
@Entity({ schema: 'authority', name: 'credential' })
export class CredentialRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { name: 'password_hash' })
  passwordHash!: string;

  /** Keyed digest of an address. It counts only while the account has this address (commands/account/addresses.ts). */
  @Column('text', { name: 'address_proof', nullable: true })
  addressProof!: string | null;

  @Column('jsonb')
  factors!: Factors;
}
