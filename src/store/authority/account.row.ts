import { Column, Entity, PrimaryColumn } from 'typeorm';
import { millisecondsColumn } from './milliseconds.js';

/** Read model of the streams `account-<actorId>` and `profile-<actorId>`. */
@Entity({ schema: 'authority', name: 'account' })
export class AccountRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  /** The sign-in name. Null: the account is erased or only partly known. */
  @Column('text', { nullable: true })
  handle!: string | null;

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

  @Column('bigint', { name: 'registered_at', transformer: millisecondsColumn })
  registeredAt!: number;

  @Column('bigint', { name: 'profile_changed_at', nullable: true, transformer: millisecondsColumn })
  profileChangedAt!: number | null;

  @Column('bigint', { name: 'erases_at', nullable: true, transformer: millisecondsColumn })
  erasesAt!: number | null;

  /** Null: data of an erased account may still exist. */
  @Column('bigint', { name: 'erasure_finished_at', nullable: true, transformer: millisecondsColumn })
  erasureFinishedAt!: number | null;

  /**
   * Revision of the account stream in this row: older events change nothing. The next three do the same for erasure,
   * profile and handle.
   */
  @Column('bigint')
  revision!: string;

  @Column('bigint', { name: 'erasure_revision' })
  erasureRevision!: string;

  @Column('integer', { name: 'profile_revision' })
  profileRevision!: number;

  @Column('integer', { name: 'handle_revision' })
  handleRevision!: number;
}
