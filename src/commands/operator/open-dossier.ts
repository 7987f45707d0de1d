import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { DossierOpened } from '../../domain/operator/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

export type DossierSubject = Omit<DossierOpened['data'], 'operatorId' | 'at'>;

/** Records that a dossier is about to be shown. @throws errors of the log. */
export class OpenDossier extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly subject: DossierSubject,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(OpenDossier)
export class OpenDossierHandler implements ICommandHandler<OpenDossier> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operatorId, subject, metadata }: OpenDossier): Promise<void> {
    await handleCommand<undefined, DossierOpened>(this.log, this.ids, {
      stream: streams.operatorLooks(operatorId),
      read: newestEventOf,
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'dossier.opened', data: { operatorId, ...subject, at: this.clock.now() } }],
      metadata,
    });
  }
}
