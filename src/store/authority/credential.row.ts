import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Not in the log, because a credential must be deletable. */
@Entity({ schema: 'authority', name: 'credential' })
export class CredentialRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { name: 'password_hash' })
  passwordHash!: string;
}
