import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { writeThrough } from '../../projections/authority/authority.projection.js';
import { evolveGrant, noGrant, revokeGrant } from '../domain/grant/grant.js';
import type { Ending } from '../domain/grant/grant.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { Clock, Ids } from './ambient.js';
import { decideOn, endsOf } from './decide-on.js';

export interface GrantEnded {
  /** False: it had ended before, and nothing was changed. */
  readonly changed: boolean;
}

/** Ends a grant, and with it every token under it. Repeating it changes nothing. */
export class RevokeGrant extends Command<GrantEnded> {
  constructor(
    readonly grantId: string,
    readonly ending: Ending,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RevokeGrant)
export class RevokeGrantHandler implements ICommandHandler<RevokeGrant> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws {Refusal} `not_found`; what log and store throw. */
  async execute({ grantId, ending, metadata }: RevokeGrant): Promise<GrantEnded> {
    const { past, added } = await decideOn(this.log, this.ids, {
      stream: streams.grant(grantId),
      read: endsOf,
      initial: noGrant,
      evolve: evolveGrant,
      decide: (grant) => revokeGrant(grant, { ...ending, at: this.clock.now() }),
      metadata,
    });
    // The past too: a revocation that was cut off after its append ends here.
    await writeThrough([...past, ...added], this.store.db);
    return { changed: added.length > 0 };
  }
}
