import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import {
  evolveApplication,
  noApplication,
  reinstateApplication,
  suspendApplication,
} from '../../domain/application/application.js';
import type {
  Application,
  ApplicationEvent,
  ApplicationChange,
} from '../../domain/application/application.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideLifecycle } from '../support/decide-lifecycle.js';
import type { LifecycleChange } from '../support/write-side.js';

/**
 * Suspends an application, effective on its next request to any process. Idempotent.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`; errors of log and store.
 */
export class SuspendApplication extends Command<LifecycleChange> {
  constructor(
    readonly appId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/** Reinstates an application: grants that did not end meanwhile are valid again. */
export class ReinstateApplication extends Command<LifecycleChange> {
  constructor(
    readonly appId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

@Injectable()
abstract class ApplicationStateHandler {
  protected abstract readonly decide: (
    application: Application,
    change: ApplicationChange & ExpectedLifecycle,
  ) => Decision<ApplicationEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  execute({
    appId,
    metadata,
    expected,
  }: SuspendApplication | ReinstateApplication): Promise<LifecycleChange> {
    return decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.application(appId),
      initial: noApplication,
      evolve: evolveApplication,
      decide: (application) => this.decide(application, { appId, at: this.clock.now(), ...expected }),
      metadata,
    });
  }
}

@CommandHandler(SuspendApplication)
export class SuspendApplicationHandler
  extends ApplicationStateHandler
  implements ICommandHandler<SuspendApplication>
{
  protected readonly decide = suspendApplication;
}

@CommandHandler(ReinstateApplication)
export class ReinstateApplicationHandler
  extends ApplicationStateHandler
  implements ICommandHandler<ReinstateApplication>
{
  protected readonly decide = reinstateApplication;
}
