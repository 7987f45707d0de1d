import { BACKWARDS, END, FORWARDS, START } from '@eventstore/db-client';
import { readAll } from './bounded-read.js';
import type { Connection } from './connection.js';
import { isForeignStream } from '../streams.js';

/** Events that are looked at from either end: the whole log would take as long as it is, and its newest may be large. */
const LOOKED_AT = { oldest: 200, newest: 20 };

/**
 * A stream of another application on the same server; undefined: none among the oldest and the newest events. Rejects with
 * the client's errors.
 */
export async function foreignStreamIn(connection: Connection): Promise<string | undefined> {
  for (const from of [
    { direction: FORWARDS, fromPosition: START, maxCount: LOOKED_AT.oldest } as const,
    { direction: BACKWARDS, fromPosition: END, maxCount: LOOKED_AT.newest } as const,
  ]) {
    const events = await readAll(connection, from);
    const foreign = events.find(({ streamId }) => isForeignStream(streamId));
    if (foreign) return foreign.streamId;
  }
  return undefined;
}
