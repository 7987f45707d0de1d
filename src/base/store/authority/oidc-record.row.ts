import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Tokens, codes, sign-in sessions and interactions of the authorization server. Their secret values are stored as
 * hashes only: a reader of the table cannot act for anyone.
 */
@Entity({ schema: 'authority', name: 'oidc_record' })
export class OidcRecordRow {
  @PrimaryColumn('text')
  kind!: string;

  @PrimaryColumn('bytea', { name: 'key_hash' })
  keyHash!: Buffer;

  @Column('text', { name: 'grant_id', nullable: true })
  grantId!: string | null;

  @Column('bytea', { name: 'uid_hash', nullable: true })
  uidHash!: Buffer | null;

  @Column('jsonb')
  payload!: Record<string, unknown>;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'consumed_at', nullable: true })
  consumedAt!: Date | null;
}
