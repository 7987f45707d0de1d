import { Command, CommandBus, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { unknownApplication } from '../../domain/application/application.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { RevokeGrant } from './revoke-grant.js';

export interface GrantsRevoked {
  /** How many grants ended by this. */
  readonly revoked: number;
}

/** What everybody gave an application; or what a person gave one (`appId` undefined: each) of them. `cause`: who ends it. */
export type GrantsOf =
  | { readonly cause: 'operator'; readonly appId: string; readonly actorId?: undefined }
  | { readonly cause: 'operator' | 'person'; readonly actorId: string; readonly appId?: string | undefined };

/**
 * Ends every grant that is not revoked, also those that can give no authority any more: the newest first, since they
 * can. What a crash left is done by repeating it.
 */
export class RevokeGrantsOf extends Command<GrantsRevoked> {
  constructor(
    readonly of: GrantsOf,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

interface Row {
  readonly grant_id: string;
  readonly app_id: string;
  readonly issued_at: string;
}

/** $1: whose. $2, $3: time and id of the grant after which to go on. $4: how many at the most. */
const unrevoked = (whose: string) => `
  SELECT grant_id, app_id, issued_at FROM authority.app_grant
  WHERE ${whose} AND revoked_at IS NULL AND (issued_at, grant_id) < ($2, $3)
  ORDER BY issued_at DESC, grant_id DESC LIMIT $4`;

/** $1: application. */
export const grantsOfApplication = unrevoked('app_id = $1');

/** $1: actor. $5: application; null: all. */
export const grantsOfActor = unrevoked('actor_id = $1 AND ($5::text IS NULL OR app_id = $5)');

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
   * One that cannot be ended keeps no other from ending, and is told of at last; only where log or store does not answer
   * for any of a batch, the rest is left.
   * @throws {Refusal} `not_found`: there is no such application, or the log does not know one of the grants. What log
   * and store throw: what is left ends by repeating it.
   */
  async execute({ of, metadata }: RevokeGrantsOf): Promise<GrantsRevoked> {
    if (of.actorId === undefined) await this.requireApplication(of.appId);
    let [revoked, missing] = [0, 0];
    let unanswered: unknown;
    let last: Row | undefined;
    for (;;) {
      const grants = await this.next(of, last);
      const endings = await Promise.allSettled(grants.map((grant) => this.end(grant, of, metadata)));
      for (const ending of endings)
        if (ending.status === 'fulfilled') revoked += Number(ending.value.changed);
        else if (ending.reason instanceof Refusal) missing += 1;
        else unanswered ??= ending.reason;
      last = grants.at(-1);
      if (grants.length < BATCH || endings.every(isUnanswered)) break;
    }
    // Rather this, since it goes well if it is tried again.
    if (unanswered !== undefined) throw unanswered;
    if (missing === 0) return { revoked };
    const message = `There is nothing in the log about ${missing} of these grants; all others have ended.`;
    throw new Refusal('not_found', message);
  }

  private async requireApplication(appId: string): Promise<void> {
    const [registered] = await this.log.read(streams.application(appId), { limit: 1 });
    if (!registered) throw unknownApplication();
  }

  private next(of: GrantsOf, last: Row | undefined): Promise<Row[]> {
    const { issued_at: at = Number.MAX_SAFE_INTEGER, grant_id: id = '' } = last ?? {};
    return of.actorId === undefined
      ? this.store.db.query(grantsOfApplication, [of.appId, at, id, BATCH])
      : this.store.db.query(grantsOfActor, [of.actorId, at, id, BATCH, of.appId ?? null]);
  }

  private end({ grant_id: grantId, app_id: appId }: Row, { cause }: GrantsOf, metadata: EventMetadata) {
    return this.commands.execute(new RevokeGrant(grantId, { cause }, { ...metadata, appId, grantId }));
  }
}

const isUnanswered = (ending: PromiseSettledResult<unknown>): boolean =>
  ending.status === 'rejected' && !(ending.reason instanceof Refusal);
