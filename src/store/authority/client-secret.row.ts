import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Several secrets at a time, so that one can be replaced without a gap. */
@Entity({ schema: 'authority', name: 'client_secret' })
export class ClientSecretRow {
  @PrimaryColumn('text', { name: 'app_id' })
  appId!: string;

  @PrimaryColumn('bytea', { name: 'secret_hash' })
  secretHash!: Buffer;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}
