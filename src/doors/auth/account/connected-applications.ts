import type { FormerName } from '../../../domain/application/change.js';
import { shownNames } from '../../../domain/application/change.js';
import type { Clock } from '../../../base/support/clock.js';
import { isGrantUsable } from '../../../commands/grant/usable-grants.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { ConnectedApplication } from '../pages/account.page.js';

interface Row {
  readonly app_id: string;
  readonly name: string;
  readonly former_names: readonly FormerName[];
  readonly state: 'active' | 'suspended';
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly since: string;
  readonly last_used: string;
}

/**
 * Selects the applications that hold usable grants of an actor (`$1`) at a time (`$2`, Unix milliseconds), the newest
 * grant first. Issuing tokens counts as use of a grant.
 */
export const connectedApplicationsSql = `
  SELECT application.app_id, name, former_names, state, redirect_uris, array_agg(DISTINCT scope) AS scopes,
    min(issued_at) AS since, max(coalesce(last_used_at, issued_at)) AS last_used
  FROM authority.app_grant JOIN authority.application USING (app_id), unnest(app_grant.scopes) AS scope
  WHERE actor_id = $1 AND ${isGrantUsable('$2')}
  GROUP BY application.app_id ORDER BY max(issued_at) DESC, application.app_id`;

export class ConnectedApplications {
  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
  ) {}

  async of(actorId: string): Promise<ConnectedApplication[]> {
    const now = this.clock.now();
    const rows = await this.store.db.query<Row[]>(connectedApplicationsSql, [actorId, now]);
    return rows.map((row) => ({
      appId: row.app_id,
      name: row.name,
      formerNames: shownNames(row.former_names, now),
      hosts: [...new Set(row.redirect_uris.map((uri) => new URL(uri).host))],
      scopes: row.scopes,
      isSuspended: row.state === 'suspended',
      since: Number(row.since),
      lastUsed: Number(row.last_used),
    }));
  }
}
