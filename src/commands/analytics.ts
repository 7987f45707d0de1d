import { Command } from '@nestjs/cqrs';
import type { AnalyticsDisclosed, AnalyticsExported } from '../domain/analytics/events.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { newestEventOf } from './support/handle-command.js';
import { handles } from './support/handles.js';

/** Records that an operator is about to export the log. Returns the id of the export. @throws errors of the log. */
export class RecordAnalyticsExport extends Command<string> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export type Disclosure = Omit<AnalyticsDisclosed['data'], 'operatorId' | 'at'>;

/** Records that an operator is about to be shown texts or an id of a data set. @throws errors of the log. */
export class RecordDisclosure extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly disclosure: Disclosure,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const analyticsHandlers = [
  handles(RecordAnalyticsExport, async ({ operatorId, metadata }, write) => {
    const data = { operatorId, exportId: write.ids.random(), at: write.now() };
    const event: AnalyticsExported = { type: 'analytics.exported', data };
    await write.record({ stream: streams.analyticsExport(data.exportId) }, metadata, () => [event]);
    return data.exportId;
  }),

  handles(RecordDisclosure, async ({ operatorId, disclosure, metadata }, write) => {
    const disclosures = { stream: streams.operatorDisclosures(operatorId), read: newestEventOf };
    await write.record<AnalyticsDisclosed>(disclosures, metadata, () => [
      { type: 'analytics.disclosed', data: { operatorId, ...disclosure, at: write.now() } },
    ]);
  }),
];
