import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Password hash of a person. It is not derived from the log, because it must be deletable. */
@Entity({ schema: 'authority', name: 'credential' })
export class CredentialRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { name: 'password_hash' })
  passwordHash!: string;
}
