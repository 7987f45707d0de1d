import { Column, Entity, PrimaryColumn } from 'typeorm';
import { millisecondsColumn } from './milliseconds.js';

/**
 * Row of a grant, from the events of the stream `grant-<grantId>`. The check of each access token joins this table.
 */
@Entity({ schema: 'authority', name: 'app_grant' })
export class AppGrantRow {
  @PrimaryColumn('text', { name: 'grant_id' })
  grantId!: string;

  @Column('text', { name: 'app_id' })
  appId!: string;

  @Column('text', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { array: true })
  scopes!: string[];

  @Column('bigint', { name: 'issued_at', transformer: millisecondsColumn })
  issuedAt!: number;

  @Column('bigint', { name: 'revoked_at', nullable: true, transformer: millisecondsColumn })
  revokedAt!: number | null;

  @Column('bigint', { name: 'last_used_at', nullable: true, transformer: millisecondsColumn })
  lastUsedAt!: number | null;
}
