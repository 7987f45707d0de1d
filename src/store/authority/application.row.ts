import { Column, Entity, PrimaryColumn } from 'typeorm';
import { milliseconds } from './milliseconds.js';

/** Which applications may ask people for a grant. A read model of the streams `application-<appId>`. */
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

  /** The widest set of scopes that it may ask for. */
  @Column('text', { array: true })
  scopes!: string[];

  @Column('text')
  state!: 'active' | 'suspended';

  /** Null: its registration was not applied (again) by a release that keeps this. */
  @Column('bigint', { name: 'registered_at', nullable: true, transformer: milliseconds })
  registeredAt!: number | null;

  /** Revision of the stream that this row shows: an older event changes nothing. */
  @Column('bigint')
  revision!: string;
}
