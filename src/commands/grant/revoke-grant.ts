import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveGrant, noGrant, revokeGrant } from '../../domain/grant/grant.js';
import type { RevocationCause } from '../../domain/grant/grant.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';
import { firstAndNewestOf } from '../support/handle-command.js';

/** Revokes a grant and with it all its tokens. Idempotent. @throws {Refusal} `not_found`; errors of log and store. */
export class RevokeGrant extends Command<ChangeResult> {
  constructor(
    readonly grantId: string,
    readonly ending: RevocationCause,
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
    private readonly ids: IdGenerator,
  ) {}

  execute({ grantId, ending, metadata }: RevokeGrant): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.grant(grantId),
      read: firstAndNewestOf,
      initial: noGrant,
      evolve: evolveGrant,
      decide: (grant) => revokeGrant(grant, { ...ending, at: this.clock.now() }),
      metadata,
    });
  }
}
