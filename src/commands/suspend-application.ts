import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { writeThrough } from '../../projections/authority/authority.projection.js';
import {
  evolveApplication,
  noApplication,
  reinstateApplication,
  suspendApplication,
} from '../domain/application/application.js';
import type { Application, ApplicationEvent, OfApplication } from '../domain/application/application.js';
import type { Decision } from '../domain/refusal.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { Clock, Ids } from './ambient.js';
import { decideOn } from './decide-on.js';

export interface ApplicationState {
  /** False: it was so before, and nothing was changed. */
  readonly changed: boolean;
}

/** Takes an application's authority away: from the next request on, on every process. Repeating it changes nothing. */
export class SuspendApplication extends Command<ApplicationState> {
  constructor(
    readonly appId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** Gives the authority back, as it was: grants that did not end meanwhile work again. */
export class ReinstateApplication extends Command<ApplicationState> {
  constructor(
    readonly appId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@Injectable()
abstract class ApplicationStateHandler {
  protected abstract readonly decide: (
    application: Application,
    of: OfApplication,
  ) => Decision<ApplicationEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: Ids,
  ) {}

  /** @throws {Refusal} `not_found`; what log and store throw. */
  async execute({ appId, metadata }: SuspendApplication | ReinstateApplication): Promise<ApplicationState> {
    const { past, added } = await decideOn(this.log, this.ids, {
      stream: streams.application(appId),
      initial: noApplication,
      evolve: evolveApplication,
      decide: (application) => this.decide(application, { appId, at: this.clock.now() }),
      metadata,
    });
    // The past too: what was cut off after its append ends here.
    await writeThrough([...past, ...added], this.store.db);
    return { changed: added.length > 0 };
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
