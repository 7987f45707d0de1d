import { Column, Entity, PrimaryColumn } from 'typeorm';
import { millisecondsColumn } from './milliseconds.js';

/** Read model of the streams `application-<appId>`. */
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

  /** Null: an older release applied the registration, without this column. */
  @Column('bigint', { name: 'registered_at', nullable: true, transformer: millisecondsColumn })
  registeredAt!: number | null;

  @Column('bigint')
  revision!: string;
}
