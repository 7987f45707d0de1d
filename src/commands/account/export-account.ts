import { Command } from '@nestjs/cqrs';
import type { AccountDataDisclosed } from '../../domain/account/events.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { handles } from '../support/handles.js';
import { foundedNetwork } from '../network/founded-network.js';
import type { BegunDownload } from './begin-download.js';

/** For so long the operator who began an export can have it sent. */
export const EXPORT_MS = 60 * 60_000;

/**
 * Records that an operator is about to be sent what the network has of a person. Idempotent with an `exportId`.
 * @throws errors of the log
 */
export class BeginAccountExport extends Command<string> {
  constructor(
    readonly actorId: string,
    readonly exportId: string | undefined,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const beginAccountExportHandler = handles(
  BeginAccountExport,
  async ({ actorId, exportId: given, metadata }, write) => {
    const exportId = given ?? write.ids.random();
    const subject = { stream: streams.accountExports(actorId), initial: undefined, evolve: () => undefined };
    await write.change<undefined, AccountDataDisclosed>(subject, metadata, (_state, past) =>
      past.some(({ event }) => event.data.exportId === exportId)
        ? []
        : [{ type: 'account.data_disclosed', data: { actorId, exportId, at: write.now() } }],
    );
    return exportId;
  },
);

/** An export that this operator began within the last hour. @throws errors of the log */
export async function begunExport(
  log: EventLog,
  actorId: string,
  {
    exportId,
    operatorId,
    now,
  }: { readonly exportId: string; readonly operatorId: string; readonly now: number },
): Promise<BegunDownload | undefined> {
  const recorded = (await log.read(
    streams.accountExports(actorId),
  )) as readonly Recorded<AccountDataDisclosed>[];
  const found = recorded.find(
    ({ event: { data }, metadata }) =>
      data.exportId === exportId && metadata.operatorId === operatorId && data.at + EXPORT_MS > now,
  );
  if (!found) return undefined;
  const { networkId } = await foundedNetwork(log);
  const { position, id: eventId, event } = found;
  return { downloadId: exportId, networkId, at: event.data.at, position, eventId };
}
