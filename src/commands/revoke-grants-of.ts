import { Command, CommandBus, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { unknownApplication } from '../domain/application/application.js';
import { Refusal } from '../domain/refusal.js';
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

/** $1: application. $2: the grant after which to go on. $3: how many at the most. */
export const liveGrants = `
  SELECT grant_id FROM authority.app_grant
  WHERE app_id = $1 AND revoked_at IS NULL AND grant_id > $2 ORDER BY grant_id LIMIT $3`;

/** Grants that are ended at once: enough to let the log sync many appends together, few enough to leave room for others. */
const BATCH = 8;

@CommandHandler(RevokeGrantsOf)
export class RevokeGrantsOfHandler implements ICommandHandler<RevokeGrantsOf> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
  ) {}

  /**
   * @throws {Refusal} `not_found`: there is no such application, or the log does not know one of its grants, which keeps no
   * other from ending. What log and store throw: then some are revoked, and the rest by repeating it.
   */
  async execute({ appId, metadata }: RevokeGrantsOf): Promise<GrantsRevoked> {
    const [registered] = await this.log.read(streams.application(appId), { limit: 1 });
    if (!registered) throw unknownApplication();
    let revoked = 0;
    let refusal: Refusal | undefined;
    for (let after = ''; ;) {
      const rows = await this.store.db.query<{ grant_id: string }[]>(liveGrants, [appId, after, BATCH]);
      const grantIds = rows.map(({ grant_id: grantId }) => grantId);
      const endings = await Promise.allSettled(
        grantIds.map((grantId) =>
          this.commands.execute(
            new RevokeGrant(grantId, { cause: 'operator' }, { ...metadata, appId, grantId }),
          ),
        ),
      );
      for (const ending of endings)
        if (ending.status === 'fulfilled') revoked += Number(ending.value.changed);
        else if (ending.reason instanceof Refusal) refusal ??= ending.reason;
        else throw ending.reason;
      const last = grantIds.at(-1);
      if (last === undefined && refusal) throw refusal;
      if (last === undefined) return { revoked };
      after = last;
    }
  }
}
