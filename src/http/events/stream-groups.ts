import type { SharedRequest } from '../admission/shared-reads.js';
import type { EventStream } from './event-stream.js';

/** Streams of one caller at one position share one row of the statement. */
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
