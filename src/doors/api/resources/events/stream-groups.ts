import type { SharedRequest } from '../../admission/shared-reads.js';
import type { EventStream } from './event-stream.js';

/** Event streams of one caller at the same position: the shared statement reads once for all of them. */
export interface StreamGroup extends SharedRequest {
  readonly streams: EventStream[];
}

export function groupStreams(streams: Iterable<EventStream>): readonly StreamGroup[] {
  const parties = new Map<string, StreamGroup>();
  for (const stream of streams) {
    const { cursor } = stream;
    const { credential } = stream.reader;
    const key = `${credential?.tokenHash.toString('hex') ?? ''}@${cursor}`;
    const party = parties.get(key) ?? { credential, cursor, streams: [] };
    party.streams.push(stream);
    parties.set(key, party);
  }
  return [...parties.values()];
}
