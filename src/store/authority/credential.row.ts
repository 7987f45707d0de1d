import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How a person proves to be the account's. Not in the log: a fact that may be forgotten. */
@Entity({ schema: 'authority', name: 'credential' })
export class CredentialRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  /** PHC string of argon2id, with its own salt and cost. */
  @Column('text', { name: 'password_hash' })
  passwordHash!: string;
}
