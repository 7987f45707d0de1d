import { Column, Entity, PrimaryColumn } from 'typeorm';
import { millisecondsColumn } from './milliseconds.js';

@Entity({ schema: 'authority', name: 'application' })
export class ApplicationRow {
  @PrimaryColumn('text', { name: 'app_id' })
  appId!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'redirect_uris', array: true })
  redirectUris!: string[];

  @Column('text', { name: 'post_logout_redirect_uris', array: true })
  postLogoutRedirectUris!: string[];

  @Column('text', { array: true })
  scopes!: string[];

  @Column('text')
  state!: 'active' | 'suspended';

  /** Null: an older release, which did not have this column, wrote the row. */
  @Column('bigint', { name: 'registered_at', nullable: true, transformer: millisecondsColumn })
  registeredAt!: number | null;

  @Column('bigint')
  revision!: string;

  /** Also those that people no longer see. */
  @Column('jsonb', { name: 'former_names' })
  formerNames!: { readonly name: string; readonly until: number }[];

  /** Revision of the newest change that this row shows; -1: none. */
  @Column('bigint', { name: 'change_revision' })
  changeRevision!: string;

  /** True: grants with scopes that were removed may still have to end. */
  @Column('boolean', { name: 'is_ending_grants' })
  isEndingGrants!: boolean;
}
