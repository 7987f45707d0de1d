/**
 * Decides whether an append is new, repeats an earlier one, or expected another revision. Rules, their order and
 * corner cases are those of EventStoreDB (IndexWriter.CheckCommit):
 * https://github.com/EventStore/EventStore/blob/release/oss-v23.10/src/EventStore.Core/Services/Storage/ReaderIndex/IndexWriter.cs
 */
import type { ExistingEvent, StreamStates } from './stream-states.js';
import { metastreamOf } from './stream-metadata.js';
import { TOMBSTONE_REVISION } from './wire.js';

/** A revision from 0, or one of the three negative constants, numbered as in the error details of the protocol. */
export type ExpectedRevision = number;
export const NO_STREAM = -1;
export const ANY = -2;
export const STREAM_EXISTS = -4;

export type AppendCheck =
  | { kind: 'append'; current: number; softDeleted: boolean }
  | { kind: 'repeated'; last: ExistingEvent }
  | { kind: 'wrong-expected-revision'; current: number }
  | { kind: 'deleted' };

export function checkAppend(
  states: StreamStates,
  stream: string,
  expected: ExpectedRevision,
  ids: readonly string[],
): AppendCheck {
  const current = states.lastRevision(stream);
  if (current === TOMBSTONE_REVISION) return { kind: 'deleted' };
  if (expected === STREAM_EXISTS) {
    if (states.isSoftDeleted(stream)) return { kind: 'deleted' };
    if (current < 0 && states.lastRevision(metastreamOf(stream)) < 0) return wrongRevision(current);
  }
  if (expected === ANY || expected === STREAM_EXISTS) return checkAny(states, stream, current, ids);
  if (expected < current) return checkRepeated(states, stream, current, expected, ids);
  if (expected > current) return wrongRevision(current);
  return { kind: 'append', current, softDeleted: states.isSoftDeleted(stream) };
}

function checkAny(
  states: StreamStates,
  stream: string,
  current: number,
  ids: readonly string[],
): AppendCheck {
  let last: ExistingEvent | undefined;
  for (const id of ids) {
    const existing = states.recentEvent(stream, id);
    if (existing) last = existing;
    else if (last) return wrongRevision(current); // the append starts like an earlier one and then differs
    else break;
  }
  return last
    ? { kind: 'repeated', last }
    : { kind: 'append', current, softDeleted: states.isSoftDeleted(stream) };
}

function checkRepeated(
  states: StreamStates,
  stream: string,
  current: number,
  expected: number,
  ids: readonly string[],
): AppendCheck {
  let last: ExistingEvent | undefined;
  for (const [index, id] of ids.entries()) {
    const existing = states.eventAt(stream, expected + 1 + index, id);
    if (!existing) {
      const recreates = index === 0 && expected === NO_STREAM && states.isSoftDeleted(stream);
      return recreates ? { kind: 'append', current, softDeleted: true } : wrongRevision(current);
    }
    last = existing;
  }
  return last ? { kind: 'repeated', last } : wrongRevision(current);
}

function wrongRevision(current: number): AppendCheck {
  return { kind: 'wrong-expected-revision', current };
}
