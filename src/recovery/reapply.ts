import { setTimeout as pause } from 'node:timers/promises';
import { block, evolvePair, strangers } from '../domain/relation/pair.js';
import type { PairEvent } from '../domain/relation/pair.js';
import { Refusal } from '../domain/refusal.js';
import { LogUnavailable, WrongExpectedRevision } from '../log/event-log.js';
import type { EventLog } from '../log/event-log.js';
import type { Recorded } from '../log/recorded.js';
import type { StoredEvent } from '../log/registry.js';
import { isRestriction } from '../log/restrictions.js';
import type { RestrictionEvent } from '../log/restrictions.js';
import { restrictionHash } from './witness/canonical.js';
import type { Witness, Witnessed } from './witness/witness.js';

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
 * it: the order of their numbers is what holds, not that of their arrival.
 * @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessMismatch} the log has another event under its id.
 */
export async function reapply(witnessed: Witnessed, tools: ReapplyTools): Promise<void> {
  const { log, witness, ids, now } = tools;
  const { restriction, epoch } = witnessed;
  const { id, stream, event } = restriction;
  const { metadata } = restriction;
  let past: readonly Recorded[] = [];
  for (let attempt = 1; ; attempt++) {
    past = await log.read(stream);
    if (past.some((recorded) => recorded.id === id)) break;
    const events = [
      ...endedBy(event, past).map((end) => ({ id: ids.uuid(), event: end })),
      { id, event, metadata: { ...metadata, witnessEpoch: Number(epoch) } },
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
  const there = past.find((recorded) => recorded.id === id);
  if (!there || !isRestriction(there.event)) throw new Error(`${stream} has something else under ${id}`);
  const hash = restrictionHash({ stream, event: there.event, metadata: there.metadata });
  await renewLater(past, there, tools);
  await witness.move(id, { hash, position: there.position }, now());
}

/** The follows that a block ends which the log still has: they end in the same append, as when it was made. */
function endedBy(event: RestrictionEvent, past: readonly Recorded[]): readonly StoredEvent[] {
  if (event.type !== 'block.established') return [];
  const pair = past.reduce((older, recorded) => evolvePair(older, recorded.event as PairEvent), strangers);
  const decided = block({ ...pair, blockedBy: [] }, event.data, true);
  return decided instanceof Refusal ? [] : decided.filter(({ type }) => type === 'relation.ended');
}

/** Makes once more, as a restriction of its own, the latest one about the same that the reapplied one may have undone. */
async function renewLater(
  past: readonly Recorded[],
  there: Recorded,
  { log, witness, ids, now }: ReapplyTools,
): Promise<void> {
  const same = past.filter(
    ({ event }) => isRestriction(event) && subjectOf(event) === subjectOf(there.event),
  );
  const latest = same.reduce((a, b) =>
    (b.metadata.witnessEpoch ?? 0) > (a.metadata.witnessEpoch ?? 0) ? b : a,
  );
  const newest = same.at(-1);
  if (!newest || newest.event.type === latest.event.type || !isRestriction(latest.event)) return;
  const { intentId: _intent, payloadHash: _payload, witnessEpoch: _epoch, ...by } = latest.metadata;
  const { stream } = there;
  const restriction = { id: ids.uuid(), stream, event: latest.event, metadata: by };
  const prepared = await witness.prepare(restriction, now());
  const { position } = await log.append({
    stream,
    expected: past.at(-1)?.revision ?? 'no_stream',
    events: [{ id: restriction.id, event: latest.event }],
    metadata: { ...by, witnessEpoch: Number(prepared.epoch) },
  });
  await witness.move(restriction.id, { hash: prepared.hash, position }, now());
}

/** Two that are about the same undo each other: in the stream of two people each has blocks of their own. */
const subjectOf = ({ type, data }: StoredEvent): string =>
  type === 'block.established' || type === 'block.ended' ? data.actorId : '';
