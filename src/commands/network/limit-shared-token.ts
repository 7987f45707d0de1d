import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveNetwork, limitSharedToken, noNetwork } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';

/**
 * Reduces the shared token to emergency access, for good, effective on its next use in any process. Idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of log and store.
 */
export class LimitSharedToken extends Command<ChangeResult> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

@CommandHandler(LimitSharedToken)
export class LimitSharedTokenHandler implements ICommandHandler<LimitSharedToken> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ metadata }: LimitSharedToken): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.network(),
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network) => limitSharedToken(network, this.clock.now()),
      metadata,
    });
  }
}
