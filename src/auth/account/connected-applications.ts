import type { CommandBus } from '@nestjs/cqrs';
import { RevokeGrant } from '../../commands/revoke-grant.js';
import type { EventMetadata } from '../../log/recorded.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { ConnectedApplication } from '../pages/account.page.js';

interface Row {
  readonly app_id: string;
  readonly name: string;
  readonly state: 'active' | 'suspended';
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly since: string;
  readonly last_used: string;
}

/** Which applications may act for a person: each consent is a grant of its own, and a person knows applications. */
export class ConnectedApplications {
  constructor(
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
  ) {}

  /** The one that was connected last comes first. A grant is used where tokens are issued under it. */
  async of(actorId: string): Promise<ConnectedApplication[]> {
    const rows = await this.store.db.query<Row[]>(
      `SELECT application.app_id, name, state, redirect_uris, array_agg(DISTINCT scope) AS scopes,
         min(issued_at) AS since, max(coalesce(last_used_at, issued_at)) AS last_used
       FROM authority.app_grant JOIN authority.application USING (app_id), unnest(app_grant.scopes) AS scope
       WHERE actor_id = $1 AND revoked_at IS NULL
       GROUP BY application.app_id ORDER BY max(issued_at) DESC, application.app_id`,
      [actorId],
    );
    return rows.map((row) => ({
      appId: row.app_id,
      name: row.name,
      hosts: [...new Set(row.redirect_uris.map((uri) => new URL(uri).host))],
      scopes: row.scopes,
      isSuspended: row.state === 'suspended',
      since: Number(row.since),
      lastUsed: Number(row.last_used),
    }));
  }

  /**
   * Ends every live grant of the person, or those of one application. Rejects with what log and store throw: then some
   * have ended, and the rest end by doing it again.
   */
  async disconnect(actorId: string, metadata: EventMetadata, appId?: string): Promise<void> {
    const live = await this.store.db.query<{ grant_id: string; app_id: string }[]>(
      `SELECT grant_id, app_id FROM authority.app_grant
       WHERE actor_id = $1 AND revoked_at IS NULL AND ($2::text IS NULL OR app_id = $2)`,
      [actorId, appId ?? null],
    );
    for (const { grant_id: grantId, app_id } of live)
      await this.commands.execute(
        new RevokeGrant(grantId, { cause: 'person' }, { ...metadata, actorId, appId: app_id, grantId }),
      );
  }
}
