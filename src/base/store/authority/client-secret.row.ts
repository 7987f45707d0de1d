import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Hash of a client secret. An application may have several valid secrets at a time, so that an operator can replace
 * one without an interruption.
 */
@Entity({ schema: 'authority', name: 'client_secret' })
export class ClientSecretRow {
  @PrimaryColumn('text', { name: 'app_id' })
  appId!: string;

  @PrimaryColumn('bytea', { name: 'secret_hash' })
  secretHash!: Buffer;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}
