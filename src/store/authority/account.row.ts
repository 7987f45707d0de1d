import { Column, Entity, PrimaryColumn } from 'typeorm';
import { milliseconds } from './milliseconds.js';

/** Who has an account. A read model of the streams `account-<actorId>` and `profile-<actorId>`. */
@Entity({ schema: 'authority', name: 'account' })
export class AccountRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  /** The name to sign in with. Null: the account is erased, or not all of it is known yet. */
  @Column('text', { nullable: true })
  handle!: string | null;

  /** False: the profile has no handle, so that nobody is told it. */
  @Column('boolean', { name: 'shows_handle' })
  showsHandle!: boolean;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('text')
  website!: string;

  @Column('text')
  email!: string;

  @Column('text')
  state!: 'active' | 'suspended' | 'erased';

  @Column('bigint', { name: 'registered_at', transformer: milliseconds })
  registeredAt!: number;

  /** Null: never. */
  @Column('bigint', { name: 'profile_changed_at', nullable: true, transformer: milliseconds })
  profileChangedAt!: number | null;

  /** When it is to be erased. Null: that is not asked for, or done. */
  @Column('bigint', { name: 'erases_at', nullable: true, transformer: milliseconds })
  erasesAt!: number | null;

  /** When nothing was left of an erased account, here and elsewhere. Null: something may be. */
  @Column('bigint', { name: 'erasure_finished_at', nullable: true, transformer: milliseconds })
  erasureFinishedAt!: number | null;

  /** Revision of the account's stream that this row shows: an older event changes nothing. */
  @Column('bigint')
  revision!: string;

  /** The same of what is asked about its erasure. */
  @Column('bigint', { name: 'erasure_revision' })
  erasureRevision!: string;

  /** The same of the profile, and of the handle, which not every profile has. */
  @Column('integer', { name: 'profile_revision' })
  profileRevision!: number;

  @Column('integer', { name: 'handle_revision' })
  handleRevision!: number;
}
