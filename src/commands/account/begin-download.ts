import { Command } from '@nestjs/cqrs';
import { beginDownload, nextDownloadAt } from '../../domain/download/download.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates, stateAfter } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import { foundedNetwork } from '../network/founded-network.js';

/** `position`, `eventId`: of the event that records it. */
export interface BegunDownload {
  readonly downloadId: string;
  readonly networkId: string;
  readonly at: number;
  readonly position: bigint;
  readonly eventId: string;
}

/** `nextAt`: the person has begun too many, and may begin the next at this time (Unix milliseconds). */
export type DownloadOutcome = BegunDownload | { readonly nextAt: number };

/**
 * Records that a person is about to be sent what the network has of them. Not idempotent.
 * @throws {Refusal} `recovery_state_missing`; errors of the log.
 */
export class BeginDownload extends Command<DownloadOutcome> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const beginDownloadHandler = handles(
  BeginDownload,
  async ({ actorId, metadata }, write): Promise<DownloadOutcome> => {
    const { networkId } = await foundedNetwork(write.log);
    const [downloadId, at] = [write.ids.random(), write.now()];
    const downloads = aggregates.downloads(actorId);
    const { past, added } = await write.change(downloads, metadata, (begun) =>
      beginDownload(begun, { actorId, downloadId, at }),
    );
    const [recorded] = added;
    if (recorded) return { downloadId, networkId, at, position: recorded.position, eventId: recorded.id };
    return { nextAt: nextDownloadAt(stateAfter(downloads, past), at) ?? at };
  },
);
