import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { AuditExported } from '../../domain/audit/events.js';
import { networkMissing } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { handleCommand } from '../support/handle-command.js';
import { IdGenerator } from '../../base/support/id-generator.js';

/** `position`, `eventId`: of the event that records it. */
export interface RecordedExport {
  readonly exportId: string;
  readonly networkId: string;
  readonly at: number;
  readonly position: bigint;
  readonly eventId: string;
}

/**
 * Records that entries of the audit are about to be exported. Not idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class RecordExport extends Command<RecordedExport> {
  constructor(
    readonly query: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordExport)
export class RecordExportHandler implements ICommandHandler<RecordExport> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ query, metadata }: RecordExport): Promise<RecordedExport> {
    const [founded] = await readNewest(
      this.log,
      () => this.log.read(streams.network(), { limit: 1 }),
      (found) => found.length > 0,
    );
    if (founded?.event.type !== 'network.founded') throw networkMissing();
    const data = { exportId: this.ids.random(), query, at: this.clock.now() };
    const { added } = await handleCommand<undefined, AuditExported>(this.log, this.ids, {
      stream: streams.auditExport(data.exportId),
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'audit.exported', data }],
      metadata,
    });
    const [recorded] = added;
    if (!recorded) throw new Error('the export was not recorded');
    const { position, id: eventId } = recorded;
    return {
      exportId: data.exportId,
      networkId: founded.event.data.networkId,
      at: data.at,
      position,
      eventId,
    };
  }
}
