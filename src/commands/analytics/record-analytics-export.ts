import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { AnalyticsExported } from '../../domain/analytics/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

/** Records that an operator is about to export the log. Returns the id of the export. @throws errors of the log. */
export class RecordAnalyticsExport extends Command<string> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordAnalyticsExport)
export class RecordAnalyticsExportHandler implements ICommandHandler<RecordAnalyticsExport> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operatorId, metadata }: RecordAnalyticsExport): Promise<string> {
    const data = { operatorId, exportId: this.ids.random(), at: this.clock.now() };
    await handleCommand<undefined, AnalyticsExported>(this.log, this.ids, {
      stream: streams.analyticsExport(data.exportId),
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'analytics.exported', data }],
      metadata,
    });
    return data.exportId;
  }
}
