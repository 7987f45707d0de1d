import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which applications may ask people for a grant. A read model of the streams `application-<appId>`. */
@Entity({ schema: 'authority', name: 'application' })
export class ApplicationRow {
  @PrimaryColumn('text', { name: 'app_id' })
  appId!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'redirect_uris', array: true })
  redirectUris!: string[];

  /** The widest set of scopes that it may ask for. */
  @Column('text', { array: true })
  scopes!: string[];

  @Column('text')
  state!: 'active' | 'suspended';

  /** Revision of the stream that this row shows: an older event changes nothing. */
  @Column('bigint')
  revision!: string;
}
