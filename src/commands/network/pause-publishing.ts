import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveNetwork, noNetwork, pausePublishing, resumePublishing } from '../../domain/network/network.js';
import type { Network, NetworkEvent } from '../../domain/network/network.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';

/**
 * Pauses publishing: until it resumes, nobody creates or edits posts or changes a profile. Effective on the next
 * request to any process. Idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of log and store.
 */
export class PausePublishing extends Command<ChangeResult> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

export class ResumePublishing extends Command<ChangeResult> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

@Injectable()
abstract class PublishingHandler {
  protected abstract readonly decide: (network: Network, at: number) => Decision<NetworkEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  execute({ metadata }: PausePublishing | ResumePublishing): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.network(),
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network) => this.decide(network, this.clock.now()),
      metadata,
    });
  }
}

@CommandHandler(PausePublishing)
export class PausePublishingHandler extends PublishingHandler implements ICommandHandler<PausePublishing> {
  protected readonly decide = pausePublishing;
}

@CommandHandler(ResumePublishing)
export class ResumePublishingHandler extends PublishingHandler implements ICommandHandler<ResumePublishing> {
  protected readonly decide = resumePublishing;
}
