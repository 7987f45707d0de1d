import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A secret that an application may authenticate with. Several at a time, so that one can be replaced without a gap. */
@Entity({ schema: 'authority', name: 'client_secret' })
export class ClientSecretRow {
  @PrimaryColumn('text', { name: 'app_id' })
  appId!: string;

  /** SHA-256. A secret has 256 random bits: a slow hash would protect nothing more. */
  @PrimaryColumn('bytea', { name: 'secret_hash' })
  secretHash!: Buffer;

  /** Null: until it is taken back. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}
