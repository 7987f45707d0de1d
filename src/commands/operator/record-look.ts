import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { LookRecorded } from '../../domain/operator/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { derivedUuid } from '../../base/support/derived-uuid.js';

export type LookSubject = Omit<LookRecorded['data'], 'operatorId' | 'at'>;

/**
 * Records that an operator is about to be shown what the network has about a subject, once in each hour of UTC.
 * @throws errors of the log: nothing may be shown.
 */
export class RecordLook extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly subject: LookSubject,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordLook)
export class RecordLookHandler implements ICommandHandler<RecordLook> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  async execute({ operatorId, subject, metadata }: RecordLook): Promise<void> {
    const at = this.clock.now();
    const id = lookIdOf(operatorId, subject, at);
    const stream = streams.look(id);
    const [recorded] = await this.log.read(stream, { limit: 1 });
    if (recorded) return;
    // The log takes one event of looks that are the first at the same time: they have the same id and stream.
    const event: LookRecorded = { type: 'look.recorded', data: { operatorId, ...subject, at } };
    await this.log.append({ stream, expected: 'no_stream', events: [{ id, event }], metadata });
  }
}

const HOUR_MS = 3_600_000;

function lookIdOf(operatorId: string, subject: LookSubject, at: number): string {
  const hour = Math.floor(at / HOUR_MS);
  return derivedUuid(JSON.stringify([operatorId, hour, ...Object.entries(subject).toSorted(byField)]));
}

const byField = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;
