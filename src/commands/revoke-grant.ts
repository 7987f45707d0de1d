import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { writeThrough } from '../../projections/authority/authority.projection.js';
import { evolveGrant, noGrant, revokeGrant } from '../domain/grant/grant.js';
import type { Revocation } from '../domain/grant/grant.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { Clock, Ids } from './ambient.js';
import { decideOn } from './decide-on.js';

/** Ends a grant, and with it every token under it. Repeating it changes nothing. */
export class RevokeGrant extends Command<void> {
  constructor(
    readonly grantId: string,
    readonly cause: Revocation['cause'],
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
  async execute({ grantId, cause, metadata }: RevokeGrant): Promise<void> {
    const stream = streams.grant(grantId);
    await decideOn(this.log, this.ids, {
      stream,
      initial: noGrant,
      evolve: evolveGrant,
      decide: (grant) => revokeGrant(grant, { cause, at: this.clock.now() }),
      metadata,
    });
    // From the stream, not from the decision: a revocation that was cut off after its append ends here too.
    await writeThrough(await this.log.read(stream), this.store.db);
  }
}
