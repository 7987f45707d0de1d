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
}
