import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Whatever the authorization server remembers under a secret value: tokens, codes, login sessions, interactions.
 * The value itself is nowhere in the row, so that whoever reads the table can act for nobody.
 */
@Entity({ schema: 'authority', name: 'oidc_record' })
export class OidcRecordRow {
  /** Name of the model: `AccessToken`, `RefreshToken`, `AuthorizationCode`, `Session`, `Interaction`. */
  @PrimaryColumn('text')
  kind!: string;

  /** SHA-256 of the value. */
  @PrimaryColumn('bytea', { name: 'key_hash' })
  keyHash!: Buffer;

  @Column('text', { name: 'grant_id', nullable: true })
  grantId!: string | null;

  /** SHA-256 of a login session's inner identifier. */
  @Column('bytea', { name: 'uid_hash', nullable: true })
  uidHash!: Buffer | null;

  @Column('jsonb')
  payload!: Record<string, unknown>;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** When it was spent, for what may be spent once. */
  @Column('timestamptz', { name: 'consumed_at', nullable: true })
  consumedAt!: Date | null;
}
