import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { refreshGrant } from '../../domain/grant/grant.js';
import type { GrantEvent } from '../../domain/grant/grant.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { handleCommand } from '../support/handle-command.js';

/** A grant that lived when its stream had this revision: what saves a look at a stream that nobody has written to since. */
export interface KnownGrant {
  readonly appId: string;
  readonly actorId: string;
  readonly revision: bigint;
}

/** Of the grant's stream after the refresh. */
export interface GrantRevision {
  readonly revision: bigint;
}

/** New tokens are about to take the place of old ones. Each refresh is a fact of its own. */
export class RefreshGrant extends Command<GrantRevision> {
  constructor(
    readonly grantId: string,
    readonly metadata: EventMetadata,
    readonly known?: KnownGrant,
  ) {
    super();
  }
}

/**
 * Asks the log, not the authority store, whether the grant lives: the one that cannot be behind. One append, which the
 * log refuses if somebody wrote since (then one read and one more), and no row of the authority store: the caller's
 * transaction may hold any of them.
 */
@CommandHandler(RefreshGrant)
export class RefreshGrantHandler implements ICommandHandler<RefreshGrant> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** @throws {Refusal} `not_found`: the grant does not live, and nothing may be issued; what the log throws. */
  async execute({ grantId, metadata, known }: RefreshGrant): Promise<GrantRevision> {
    const at = this.clock.now();
    const { added } = await handleCommand<GrantEvent | undefined, GrantEvent>(this.log, this.ids, {
      stream: streams.grant(grantId),
      read: (log, stream) => log.read(stream, { limit: 1, direction: 'backwards' }),
      known: known && { revision: known.revision, state: refreshed(grantId, known, at) },
      initial: undefined,
      evolve: (_older, newest) => newest,
      decide: (newest) => refreshGrant(newest, { at }),
      // No tokens are issued whatever the witness says: whoever ended the grant is told by that.
      toConfirm: () => [],
      metadata,
    });
    const [{ revision }] = added as readonly [Recorded];
    return { revision };
  }
}

const refreshed = (grantId: string, { appId, actorId }: KnownGrant, at: number): GrantEvent => ({
  type: 'grant.refreshed',
  data: { grantId, appId, actorId, at },
});
