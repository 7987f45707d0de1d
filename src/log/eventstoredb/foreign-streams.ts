import { BACKWARDS, END, FORWARDS, START } from '@eventstore/db-client';
import { readAll } from './read-all.js';
import type { Connection } from './connection.js';
import { isForeignStream } from '../streams.js';

/**
 * Number of events that are checked at either end of the log: a check of all would take longer with each event. Fewer
 * at the end, because its events may be large.
 */
const SAMPLE = { oldest: 200, newest: 20 };

export async function foreignStreamIn(connection: Connection): Promise<string | undefined> {
  for (const range of [
    { direction: FORWARDS, fromPosition: START, maxCount: SAMPLE.oldest } as const,
    { direction: BACKWARDS, fromPosition: END, maxCount: SAMPLE.newest } as const,
  ]) {
    const events = await readAll(connection, range);
    const foreign = events.find(({ streamId }) => isForeignStream(streamId));
    if (foreign) return foreign.streamId;
  }
  return undefined;
}
