import { Column, Entity, PrimaryColumn } from 'typeorm';
import { milliseconds } from './milliseconds.js';

/** Who has an account. A read model of the streams `account-<actorId>`. */
@Entity({ schema: 'authority', name: 'account' })
export class AccountRow {
  @PrimaryColumn('text', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { nullable: true })
  handle!: string | null;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('text')
  email!: string;

  @Column('text')
  state!: 'active' | 'suspended' | 'erased';

  @Column('bigint', { name: 'registered_at', transformer: milliseconds })
  registeredAt!: number;

  /** Revision of the stream that this row shows: an older event changes nothing. */
  @Column('bigint')
  revision!: string;
}
