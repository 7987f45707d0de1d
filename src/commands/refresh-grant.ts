import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { refreshGrant } from '../domain/grant/grant.js';
import type { GrantEvent } from '../domain/grant/grant.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { Clock, Ids } from './ambient.js';
import { decideOn } from './decide-on.js';

/** New tokens are about to take the place of old ones. Each refresh is a fact of its own. */
export class RefreshGrant extends Command<void> {
  constructor(
    readonly grantId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Asks the log, not the authority store, whether the grant lives: the one that cannot be behind. One read and one
 * append, and no row of the authority store: the caller's transaction may hold any of them.
 */
@CommandHandler(RefreshGrant)
export class RefreshGrantHandler implements ICommandHandler<RefreshGrant> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws {Refusal} `not_found`: the grant does not live, and nothing may be issued; what the log throws. */
  async execute({ grantId, metadata }: RefreshGrant): Promise<void> {
    await decideOn(this.log, this.ids, {
      stream: streams.grant(grantId),
      read: (log, stream) => log.read(stream, { limit: 1, direction: 'backwards' }),
      initial: undefined,
      evolve: (_older: GrantEvent | undefined, newest: GrantEvent) => newest,
      decide: (newest) => refreshGrant(newest, { at: this.clock.now() }),
      metadata,
    });
  }
}
