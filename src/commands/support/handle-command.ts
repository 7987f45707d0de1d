import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { Append, Appended, EventLog, NewEvent } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { isRestriction, restrictionId } from '../../log/restrictions.js';
import type { IdGenerator } from './ambient.js';

export interface CommandContext<State, Event extends StoredEvent> {
  readonly stream: string;
  /** How the past is read. Undefined: all of it. */
  readonly read?: (log: EventLog, stream: string) => Promise<readonly Recorded[]>;
  /** What the caller knows of the stream. It is decided on without a read, and only if the stream is still there. */
  readonly known?: { readonly revision: bigint; readonly state: State } | undefined;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** `past`: as it was read, with what is recorded beside the events. */
  readonly decide: (state: State, past: readonly Recorded<Event>[]) => Decision<Event>;
  /** What of the past tells that nothing is, or may be, done (any more): it must be confirmed first. Undefined: all. */
  readonly toConfirm?: (past: readonly Recorded<Event>[]) => readonly Recorded<Event>[];
  readonly metadata: EventMetadata;
}

/** The stream that a decision rests on (nothing of it where the caller knew), and what the decision added to it (nothing: nothing changed). */
export interface Decided<Event extends StoredEvent> {
  readonly past: readonly Recorded<Event>[];
  readonly added: readonly Recorded<Event>[];
}

/** Somebody else may write to the stream between our look and our append; nobody does so this often in a row. */
const ATTEMPTS = 5;
/** A log may refuse for the sake of an event that it shows to nobody before it is durable: a moment later. */
const PAUSE_MS = 20;

/**
 * Reads a stream, decides, appends; looks again if somebody else wrote first.
 * @throws {Refusal} and whatever {@link EventLog} throws; {@link LogUnavailable} also if somebody else always was first:
 * nothing was written, and trying again is safe.
 */
export async function handleCommand<State, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  context: CommandContext<State, Event>,
): Promise<Decided<Event>> {
  const { stream, read = wholeStream, known, initial, evolve, decide, toConfirm, metadata } = context;
  for (let attempt = 1; ; attempt++) {
    const informed = attempt === 1 ? known : undefined;
    const past = informed ? [] : ((await read(log, stream)) as readonly Recorded<Event>[]);
    const state = informed
      ? informed.state
      : past.reduce((older, { event }) => evolve(older, event), initial);
    const decision = decide(state, past);
    if (decision instanceof Refusal || decision.length === 0) {
      await log.ensureWitnessed(toConfirm ? toConfirm(past) : past);
      if (decision instanceof Refusal) throw decision;
      return { past, added: [] };
    }
    const expected = informed?.revision ?? past.at(-1)?.revision ?? 'no_stream';
    const events = decision.map((event) => ({ id: idFor(event, stream, metadata) ?? ids.uuid(), event }));
    try {
      const appended = await log.append({ stream, expected, events, metadata });
      return { past, added: recordedBy({ stream, expected, events, metadata }, appended) };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      if (attempt === ATTEMPTS)
        throw new LogUnavailable('others keep writing to the stream', { cause: error });
      await pause(attempt * PAUSE_MS);
    }
  }
}

const idFor = (event: StoredEvent, stream: string, metadata: EventMetadata): string | undefined =>
  isRestriction(event) ? restrictionId(event.type, stream, metadata) : undefined;

function recordedBy<Event extends StoredEvent>(
  { stream, events, metadata }: Append<Event>,
  { revision, position, restriction }: Appended,
): readonly Recorded<Event>[] {
  const first = revision - BigInt(events.length - 1);
  return events.map((given, index) => ({
    stream,
    revision: first + BigInt(index),
    position,
    metadata,
    erased: false,
    ...given,
    ...(index === events.length - 1 && (restriction as Required<NewEvent<Event>> | undefined)),
  }));
}

function wholeStream(log: EventLog, stream: string): Promise<readonly Recorded[]> {
  return log.read(stream);
}

/** All of a stream as it was a moment ago; if that is the past by now, as it is. */
export function alreadyRead(past: readonly Recorded[]): NonNullable<CommandContext<unknown, never>['read']> {
  let first: readonly Recorded[] | undefined = past;
  return (log, stream) => {
    const known = first;
    first = undefined;
    return known ? Promise.resolve(known) : log.read(stream);
  };
}

/** The newest event of a stream alone, where that tells all, whatever came before. */
export function newestOf(log: EventLog, stream: string): Promise<readonly Recorded[]> {
  return log.read(stream, { limit: 1, direction: 'backwards' });
}

/**
 * The first and the newest event of a stream (one event: only that): enough where these two tell all, and no more work
 * for a stream of thousands than for one of two.
 */
export async function endsOf(log: EventLog, stream: string): Promise<readonly Recorded[]> {
  const [[first], [newest]] = await Promise.all([
    log.read(stream, { limit: 1 }),
    log.read(stream, { limit: 1, direction: 'backwards' }),
  ]);
  if (!first) return [];
  return newest && newest.revision > first.revision ? [first, newest] : [first];
}
