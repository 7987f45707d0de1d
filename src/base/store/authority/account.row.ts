import { Column, Entity, PrimaryColumn } from 'typeorm';
import { millisecondsColumn } from './milliseconds.js';

/** Row of an account, from the events of the streams `account-<actorId>` and `profile-<actorId>`. */
@Entity({ schema: 'authority', name: 'account' })
export class AccountRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  /** The name that the person signs in with. Null: the account is erased, or its registration is not applied yet. */
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

  /**
   * Null: the account is not erased, or its erasure is unfinished: a key, credential or row of the person may still
   * exist.
   */
  @Column('bigint', { name: 'erasure_finished_at', nullable: true, transformer: millisecondsColumn })
  erasureFinishedAt!: number | null;

  /**
   * Revision of the newest event of the account stream that this row shows: events up to it change nothing any more.
   * The next three columns do the same for erasure, profile and handle.
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
