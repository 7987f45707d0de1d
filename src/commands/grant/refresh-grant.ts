import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { refreshGrant } from '../../domain/grant/grant.js';
import type { GrantEvent } from '../../domain/grant/grant.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

/**
 * A grant that the caller knows to be active at this revision of its stream. If the stream has no newer event, it need
 * not be read.
 */
export interface KnownGrant {
  readonly appId: string;
  readonly actorId: string;
  readonly revision: bigint;
}

export interface GrantRevision {
  readonly revision: bigint;
}

/**
 * Records that new tokens replace old ones. Not idempotent: each refresh is an event.
 * @throws {Refusal} `not_found`: the grant is not active, so no tokens may be issued; errors of the log.
 */
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
 * Decides on the log, because the authority store may lag behind. With `known`, one append is enough; without it, or
 * after a lost race, a read precedes each append. Touches no row of the authority store: the transaction of the caller
 * may lock any of them.
 */
@CommandHandler(RefreshGrant)
export class RefreshGrantHandler implements ICommandHandler<RefreshGrant> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ grantId, metadata, known }: RefreshGrant): Promise<GrantRevision> {
    const at = this.clock.now();
    const { added } = await handleCommand<GrantEvent | undefined, GrantEvent>(this.log, this.ids, {
      stream: streams.grant(grantId),
      read: (log, stream) => log.read(stream, { limit: 1, direction: 'backwards' }),
      known: known && { revision: known.revision, state: refreshed(grantId, known, at) },
      initial: undefined,
      evolve: (_older, newest) => newest,
      decide: (newest) => refreshGrant(newest, { at }),
      // A refusal issues no tokens, so the witness need not confirm the revocation here: the revoking command does
      // that.
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
