import { setTimeout as pause } from 'node:timers/promises';
import { block, evolvePair, initialPair } from '../../domain/relation/pair.js';
import type { PairEvent } from '../../domain/relation/pair.js';
import { Refusal } from '../../domain/refusal.js';
import { LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { EventLog, NewEvent } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { isRestriction } from '../../log/restrictions.js';
import type { RestrictionEvent } from '../../log/restrictions.js';
import { restrictionHash } from '../../witness/canonical.js';
import type { Witness, Witnessed } from '../../witness/witness.js';

const ATTEMPTS = 5;
const PAUSE_MS = 50;

export interface ReapplyTools {
  readonly log: EventLog;
  readonly witness: Witness;
  readonly ids: { uuid(): string };
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Appends a restriction that the log has lost, word for word as the witness has it and with its id, to the end of its stream,
 * and tells the witness where it is now. What the log has already is only told. Repeating it changes nothing.
 *
 * Where the stream has a later one about the same, appended since the log was set back, that one is made once more behind
 * it, in the same append: the order of their numbers is what holds, not that of their arrival.
 * @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessMismatch} the log has another event under its id.
 */
export async function reapply(witnessed: Witnessed, tools: ReapplyTools): Promise<void> {
  const { log, witness, ids } = tools;
  const { restriction, epoch } = witnessed;
  const { id, stream, event, metadata } = restriction;
  let past: readonly Recorded[] = [];
  let renewed: NewEvent | undefined;
  for (let attempt = 1; ; attempt++) {
    past = await log.read(stream);
    if (past.some((recorded) => recorded.id === id)) break;
    renewed = await renewalOf(witnessed, past, tools);
    const events = [
      ...endedBy(event, past).map((end) => ({ id: ids.uuid(), event: end })),
      { id, event, metadata: { ...metadata, witnessEpoch: Number(epoch) } },
      ...(renewed ? [renewed] : []),
    ];
    try {
      await log.append({ stream, expected: past.at(-1)?.revision ?? 'no_stream', events, metadata });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      if (attempt === ATTEMPTS)
        throw new LogUnavailable(`others keep writing to ${stream}`, { cause: error });
      await pause(attempt * PAUSE_MS);
    }
  }
  // The one that was missing comes last: as long as the witness has it elsewhere, it is told again.
  const written = past.filter((recorded) => recorded.id === id || recorded.id === renewed?.id);
  for (const there of written.toReversed()) {
    if (!isRestriction(there.event)) throw new Error(`${stream} has something else under ${there.id}`);
    const hash = restrictionHash({ stream, event: there.event, metadata: there.metadata });
    await witness.move(there.id, { hash, position: there.position }, tools.now());
  }
}

/** The follows that a block ends which the log still has: they end in the same append, as when it was made. */
function endedBy(event: RestrictionEvent, past: readonly Recorded[]): readonly StoredEvent[] {
  if (event.type !== 'block.established') return [];
  const pair = past.reduce((older, recorded) => evolvePair(older, recorded.event as PairEvent), initialPair);
  const decided = block({ ...pair, blockedBy: [] }, event.data, true);
  return decided instanceof Refusal ? [] : decided.filter(({ type }) => type === 'relation.ended');
}

/** The latest one about the same that the reapplied one would undo, as a restriction of its own; undefined: there is none. */
async function renewalOf(
  { epoch, restriction: { stream, event } }: Witnessed,
  past: readonly Recorded[],
  { witness, ids, now }: ReapplyTools,
): Promise<NewEvent | undefined> {
  const same = past.filter(
    (recorded) => isRestriction(recorded.event) && subjectOf(recorded.event) === subjectOf(event),
  );
  // The witness's own, since a log keeps numbers that a witness which was set back has given again.
  const known = await witness.find(same.map(({ id }) => id));
  const epochOf = ({ id, metadata }: Recorded) => known.get(id)?.epoch ?? BigInt(metadata.witnessEpoch ?? 0);
  const [latest] = same.toSorted((a, b) => Number(epochOf(b) - epochOf(a)));
  if (!latest || !isRestriction(latest.event) || latest.event.type === event.type) return undefined;
  if (epochOf(latest) < epoch) return undefined;
  const { intentId: _intent, payloadHash: _payload, witnessEpoch: _epoch, ...by } = latest.metadata;
  const restriction = { id: ids.uuid(), stream, event: latest.event, metadata: by };
  const prepared = await witness.prepare(restriction, now());
  const metadata = { ...by, witnessEpoch: Number(prepared.epoch) };
  return { id: restriction.id, event: latest.event, metadata };
}

/** Two that are about the same undo each other: in the stream of two people each has blocks of their own. */
const subjectOf = ({ type, data }: StoredEvent): string =>
  type === 'block.established' || type === 'block.ended' ? data.actorId : '';
