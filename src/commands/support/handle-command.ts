import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { LeaderChanged, LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { Append, AppendedEvents, EventLog, ExpectedRevision, NewEvent } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import type { StoredEvent } from '../../log/registry.js';
import { isRestriction, restrictionId } from '../../log/restrictions.js';
import { sleep } from '../../base/support/sleep.js';
import type { IdGenerator } from '../../base/support/id-generator.js';

/** A stream, and the state that its events make. `read`: undefined reads the whole stream. */
export interface Aggregate<State, Event extends StoredEvent> {
  readonly stream: string;
  readonly read?: (log: EventLog, stream: string) => Promise<readonly Recorded[]>;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
}

/**
 * `known`: the first attempt decides on this state without a read.
 * `isProbablyNew`: the first attempt decides without a read, as if the stream had no events. The log refuses the append
 * if it has; a decision that changes nothing is made again, after a read.
 * `decide` is called again after a lost race and after a proof: what it needs from other streams, it reads anew.
 * `isRepetition`: the stream has an event of this very command, so that its answer needs no proof. Undefined: it never
 * shows.
 * `toConfirm`: events that justify a refusal or an empty decision, recorded in the witness before the answer;
 * undefined: all that were read.
 */
export interface CommandContext<State, Event extends StoredEvent> extends Aggregate<State, Event> {
  readonly known?: { readonly revision: bigint; readonly state: State } | undefined;
  readonly isProbablyNew?: boolean;
  readonly decide: (
    state: State,
    past: readonly Recorded<Event>[],
  ) => Decision<Event> | Promise<Decision<Event>>;
  readonly isRepetition?: (past: readonly Recorded<Event>[]) => boolean;
  readonly toConfirm?: (past: readonly Recorded<Event>[]) => readonly Recorded<Event>[];
  readonly metadata: EventMetadata;
}

/**
 * `past`: events that the decision was based on; empty if the caller gave `known`, or if the stream was new. `added`:
 * empty if nothing changed.
 */
export interface Decided<Event extends StoredEvent> {
  readonly past: readonly Recorded<Event>[];
  readonly added: readonly Recorded<Event>[];
}

const ATTEMPTS = 5;
/**
 * Pause after the first attempt; it grows with each. The log may refuse an append because of an event that reads do not
 * show before it is durable.
 */
const PAUSE_MS = 20;

/**
 * Reads a stream, decides and appends; retries when another writer was first, or another leader was read from. A refusal
 * or an empty decision is answered only if the read is proven to be the newest (docs/adr/0034).
 * @throws {Refusal} and errors of {@link EventLog}; {@link LogUnavailable} also after all attempts lost the race, and
 * without a proof; a retry is safe.
 */
export async function handleCommand<State, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  context: CommandContext<State, Event>,
): Promise<Decided<Event>> {
  const { stream, read = wholeStream, initial, evolve, decide, isRepetition, toConfirm, metadata } = context;
  let known: Known<State> | undefined = context.isProbablyNew
    ? { revision: 'no_stream', state: initial }
    : context.known;
  const sent: (readonly NewEvent<Event>[])[] = [];
  const readAndDecide = async () => {
    const knownStream = known;
    known = undefined;
    const leadership = await log.leadership();
    const past = knownStream ? [] : ((await read(log, stream)) as readonly Recorded<Event>[]);
    const state = knownStream
      ? knownStream.state
      : past.reduce((older, { event }) => evolve(older, event), initial);
    return { knownStream, leadership, past, decision: await decide(state, past) };
  };
  // A guess is no attempt.
  for (let attempt = context.isProbablyNew ? 0 : 1; ; attempt++) {
    const { knownStream, leadership, past, decision } = await readNewest(
      log,
      readAndDecide,
      (found) =>
        isGuess(found.knownStream) ||
        isChange(found.decision) ||
        isRepetition?.(found.past) === true ||
        !!firstStored(sent, found.past),
    );
    if (isGuess(knownStream) && !isChange(decision)) continue;
    const earlier = firstStored(sent, past);
    if (earlier) {
      await log.ensureWitnessed(past);
      const { last, events } = earlier;
      const added = [...recordedBy({ stream, events, metadata }, last).slice(0, -1), last];
      return { past: past.filter(({ revision }) => revision < (added[0]?.revision ?? 0n)), added };
    }
    if (decision instanceof Refusal || decision.length === 0) {
      await log.ensureWitnessed(toConfirm ? toConfirm(past) : past);
      if (decision instanceof Refusal) throw decision;
      return { past, added: [] };
    }
    const expected = knownStream?.revision ?? past.at(-1)?.revision ?? 'no_stream';
    const events = decision.map((event) => ({ id: idFor(event, stream, metadata) ?? ids.uuid(), event }));
    try {
      const appended = await log.append({ stream, expected, events, metadata, leadership });
      return { past, added: recordedBy({ stream, events, metadata }, appended) };
    } catch (error) {
      if (error instanceof LeaderChanged) sent.push(events);
      else if (!(error instanceof WrongExpectedRevision)) throw error;
      if (attempt === ATTEMPTS)
        throw new LogUnavailable('Other writers were first, or leaders changed, in every attempt: retry.', {
          cause: error,
        });
      if (!isGuess(knownStream)) await sleep(attempt * PAUSE_MS);
    }
  }
}

interface Known<State> {
  readonly revision: ExpectedRevision;
  readonly state: State;
}

const isGuess = (known: Known<unknown> | undefined): boolean => known?.revision === 'no_stream';

/** The earlier attempt that came through, by its last event: an append is stored whole. */
function firstStored<Event extends StoredEvent>(
  sent: readonly (readonly NewEvent<Event>[])[],
  past: readonly Recorded<Event>[],
) {
  for (const events of sent) {
    const last = past.find(({ id }) => id === events.at(-1)?.id);
    if (last) return { events, last };
  }
  return undefined;
}

export const isChange = (decision: Decision<unknown>): boolean =>
  !(decision instanceof Refusal) && decision.length > 0;

const idFor = (event: StoredEvent, stream: string, metadata: EventMetadata): string | undefined =>
  isRestriction(event) ? restrictionId(event.type, stream, metadata) : undefined;

function recordedBy<Event extends StoredEvent>(
  { stream, events, metadata }: Omit<Append<Event>, 'expected'>,
  { revision, position, restriction }: AppendedEvents,
): readonly Recorded<Event>[] {
  const first = revision - BigInt(events.length - 1);
  return events.map((appended, index) => ({
    stream,
    revision: first + BigInt(index),
    position,
    metadata,
    erased: false,
    ...appended,
    ...(index === events.length - 1 && (restriction as Required<NewEvent<Event>> | undefined)),
  }));
}

function wholeStream(log: EventLog, stream: string): Promise<readonly Recorded[]> {
  return log.read(stream);
}

/** Returns a `read` for {@link CommandContext} whose first call returns `past`; a retry reads the log. */
export function readFromMemory(
  past: readonly Recorded[],
): NonNullable<CommandContext<unknown, never>['read']> {
  let first: readonly Recorded[] | undefined = past;
  return (log, stream) => {
    const given = first;
    first = undefined;
    return given ? Promise.resolve(given) : log.read(stream);
  };
}

export function newestEventOf(log: EventLog, stream: string): Promise<readonly Recorded[]> {
  return log.read(stream, { limit: 1, direction: 'backwards' });
}

/**
 * Reads the first and the newest event of a stream, for states that depend on these two: constant work for a long
 * stream.
 */
export async function firstAndNewestOf(log: EventLog, stream: string): Promise<readonly Recorded[]> {
  const [[first], [newest]] = await Promise.all([
    log.read(stream, { limit: 1 }),
    log.read(stream, { limit: 1, direction: 'backwards' }),
  ]);
  if (!first) return [];
  return newest && newest.revision > first.revision ? [first, newest] : [first];
}
