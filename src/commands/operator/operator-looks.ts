import { Command } from '@nestjs/cqrs';
import type { LookRecorded, TextDisclosed } from '../../domain/operator/events.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { derivedUuid } from '../../base/support/derived-uuid.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';

export type DisclosedEvent = Omit<TextDisclosed['data'], 'operatorId' | 'at'>;

/** Records that the texts of these events are about to be shown. @throws errors of the log. */
export class DiscloseTexts extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly events: readonly DisclosedEvent[],
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

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

export const lookHandlers = [
  handles(DiscloseTexts, async ({ operatorId, events, metadata }, write) => {
    const at = write.now();
    const disclosed = events.map((event): TextDisclosed => ({
      type: 'text.disclosed',
      data: { operatorId, ...event, at },
    }));
    const disclosures = { stream: streams.operatorDisclosures(operatorId), read: newestEventOf };
    await write.record(disclosures, metadata, () => disclosed);
  }),

  handles(RecordLook, async ({ operatorId, subject, metadata }, write) => {
    const at = write.now();
    const id = lookIdOf(operatorId, subject, at);
    const stream = streams.look(id);
    const [recorded] = await write.log.read(stream, { limit: 1 });
    if (recorded) return;
    // The log takes one event of looks that are the first at the same time: they have the same id and stream.
    const event: LookRecorded = { type: 'look.recorded', data: { operatorId, ...subject, at } };
    await write.log.append({ stream, expected: 'no_stream', events: [{ id, event }], metadata });
  }),
];

const HOUR_MS = 3_600_000;

function lookIdOf(operatorId: string, subject: LookSubject, at: number): string {
  const hour = Math.floor(at / HOUR_MS);
  return derivedUuid(JSON.stringify([operatorId, hour, ...Object.entries(subject).toSorted(byField)]));
}

const byField = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;
