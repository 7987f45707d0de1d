import { Command, CommandBus, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { unknownApplication } from '../domain/application/application.js';
import type { EventMetadata } from '../log/recorded.js';
import { EventLog } from '../log/event-log.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { RevokeGrant } from './revoke-grant.js';

export interface GrantsRevoked {
  /** How many grants ended by this. */
  readonly revoked: number;
}

/** Ends every live grant of an application, as an operator's act. What a crash left is done by repeating it. */
export class RevokeGrantsOf extends Command<GrantsRevoked> {
  constructor(
    readonly appId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** Grants that are ended at once: enough to let the log sync many appends together, few enough to leave room for others. */
const BATCH = 8;

@CommandHandler(RevokeGrantsOf)
export class RevokeGrantsOfHandler implements ICommandHandler<RevokeGrantsOf> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
  ) {}

  /** @throws {Refusal} `not_found`; what log and store throw: then some are revoked, and the rest by repeating it. */
  async execute({ appId, metadata }: RevokeGrantsOf): Promise<GrantsRevoked> {
    const [registered] = await this.log.read(streams.application(appId), { limit: 1 });
    if (!registered) throw unknownApplication();
    let revoked = 0;
    for (let after = ''; ;) {
      const grantIds = await this.liveGrants(appId, after);
      const ended = await Promise.all(
        grantIds.map((grantId) =>
          this.commands.execute(
            new RevokeGrant(grantId, { cause: 'operator' }, { ...metadata, appId, grantId }),
          ),
        ),
      );
      revoked += ended.filter(({ changed }) => changed).length;
      const last = grantIds.at(-1);
      if (last === undefined) return { revoked };
      after = last;
    }
  }

  private async liveGrants(appId: string, after: string): Promise<readonly string[]> {
    const rows = await this.store.db.query<{ grant_id: string }[]>(
      `SELECT grant_id FROM authority.app_grant
       WHERE app_id = $1 AND revoked_at IS NULL AND grant_id > $2 ORDER BY grant_id LIMIT $3`,
      [appId, after, BATCH],
    );
    return rows.map(({ grant_id: grantId }) => grantId);
  }
}
