import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import {
  closeRegistration,
  evolveRegistration,
  openRegistration,
} from '../../domain/registration/registration.js';
import type { Registration } from '../../domain/registration/registration.js';
import type { RegistrationEvent } from '../../domain/registration/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';
import { newestEventOf } from '../support/handle-command.js';

/**
 * Opens or closes registration, effective on the next request to any process. Idempotent.
 * @throws errors of log and store.
 */
export class SetRegistration extends Command<ChangeResult> {
  constructor(
    readonly to: 'open' | 'closed',
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetRegistration)
export class SetRegistrationHandler implements ICommandHandler<SetRegistration> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ to, metadata }: SetRegistration): Promise<ChangeResult> {
    const decide = to === 'open' ? openRegistration : closeRegistration;
    return decideAndProject<Registration, RegistrationEvent>(this.log, this.ids, this.store, {
      stream: streams.registration(),
      read: newestEventOf,
      initial: 'unset',
      evolve: evolveRegistration,
      decide: (registration) => decide(registration, this.clock.now()),
      metadata,
    });
  }
}
