import { block, evolvePair, initialPair } from '../../domain/relation/pair.js';
import type { PairEvent } from '../../domain/relation/pair.js';
import { Refusal } from '../../domain/refusal.js';
import { LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { EventLog, NewEvent } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { isRestriction } from '../../log/restrictions.js';
import type { RestrictionEvent } from '../../log/restrictions.js';
import { sleep } from '../../base/support/sleep.js';
import { restrictionHash } from '../../log/witness/canonical.js';
import type { Witness, WitnessedRestriction } from '../../log/witness/witness.js';

const ATTEMPTS = 5;
const PAUSE_MS = 50;

export interface ReapplyTools {
  readonly log: EventLog;
  readonly witness: Witness;
  readonly ids: { uuid(): string };
  readonly now: () => number;
}

/**
 * Appends a missing restriction to its stream, under its original id, and moves the witness entry to its new
 * position. If the log has the event already, only the entry moves. Idempotent.
 *
 * The stream may have a later restriction or lift of the same subject, appended after the log was rolled
 * back. The same append repeats that one behind the missing restriction: the order of epochs decides, not the
 * order of arrival.
 * @throws {LogUnavailable} {@link WitnessUnavailable}
 * @throws {WitnessMismatch} the log has another event under this id.
 */
export async function reapply(witnessed: WitnessedRestriction, tools: ReapplyTools): Promise<void> {
  const { log, witness, ids } = tools;
  const { restriction, epoch } = witnessed;
  const { id, stream, event, metadata } = restriction;
  let history: readonly Recorded[] = [];
  let renewed: NewEvent | undefined;
  for (let attempt = 1; ; attempt++) {
    history = await log.read(stream);
    if (history.some((recorded) => recorded.id === id)) break;
    renewed = await renewalOf(witnessed, history, tools);
    const events = [
      ...followsEndedBy(event, history).map((end) => ({ id: ids.uuid(), event: end })),
      { id, event, metadata: { ...metadata, witnessEpoch: Number(epoch) } },
      ...(renewed ? [renewed] : []),
    ];
    try {
      await log.append({ stream, expected: history.at(-1)?.revision ?? 'no_stream', events, metadata });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      if (attempt === ATTEMPTS)
        throw new LogUnavailable(`concurrent writers kept changing ${stream}; retry`, { cause: error });
      await sleep(attempt * PAUSE_MS);
    }
  }
  // The missing restriction comes last. Until the witness has its position, a repeated run moves both again.
  const appended = history.filter((recorded) => recorded.id === id || recorded.id === renewed?.id);
  for (const recorded of appended.toReversed()) {
    if (!isRestriction(recorded.event))
      throw new Error(
        `event ${recorded.id} in ${stream} is not the restriction that the witness has under this id`,
      );
    const hash = restrictionHash({ stream, event: recorded.event, metadata: recorded.metadata });
    await witness.move(recorded.id, { hash, position: recorded.position }, tools.now());
  }
}

function followsEndedBy(event: RestrictionEvent, history: readonly Recorded[]): readonly StoredEvent[] {
  if (event.type !== 'block.established') return [];
  const pair = history.reduce(
    (older, recorded) => evolvePair(older, recorded.event as PairEvent),
    initialPair,
  );
  const decided = block({ ...pair, blockedBy: [] }, event.data, true);
  return decided instanceof Refusal ? [] : decided.filter(({ type }) => type === 'relation.ended');
}

/** Returns a copy of the newest event of the same subject if the reapplied event would undo it. */
async function renewalOf(
  { epoch, restriction: { stream, event } }: WitnessedRestriction,
  history: readonly Recorded[],
  { witness, ids, now }: ReapplyTools,
): Promise<NewEvent | undefined> {
  const same = history.filter(
    (recorded) => isRestriction(recorded.event) && subjectOf(recorded.event) === subjectOf(event),
  );
  // The witness decides the epoch: the log may hold an epoch that a rolled-back witness assigned again.
  const known = await witness.find(same.map(({ id }) => id));
  const epochOf = ({ id, metadata }: Recorded) => known.get(id)?.epoch ?? BigInt(metadata.witnessEpoch ?? 0);
  const [latest] = same.toSorted((a, b) => Number(epochOf(b) - epochOf(a)));
  if (!latest || !isRestriction(latest.event) || isSameChange(latest.event, event)) return undefined;
  if (epochOf(latest) < epoch) return undefined;
  const { intentId: _intent, payloadHash: _payload, witnessEpoch: _epoch, ...attribution } = latest.metadata;
  const restriction = { id: ids.uuid(), stream, event: latest.event, metadata: attribution };
  const prepared = await witness.prepare(restriction, now());
  const metadata = { ...attribution, witnessEpoch: Number(prepared.epoch) };
  return { id: restriction.id, event: latest.event, metadata };
}

/**
 * Events of one stream with the same subject undo each other. The stream of a pair has blocks of two actors: a subject
 * for each. The stream of an operator has the state, the roles, and each credential.
 */
function subjectOf({ type, data }: StoredEvent): string {
  if (type === 'block.established' || type === 'block.ended') return data.actorId;
  if (type === 'operator.roles_changed') return type;
  if (type === 'operator.passkey_removed') return data.passkeyId;
  return type === 'operator.token_revoked' ? data.tokenId : '';
}

const isSameChange = (one: RestrictionEvent, other: RestrictionEvent): boolean =>
  one.type === 'operator.roles_changed' && other.type === 'operator.roles_changed'
    ? one.data.roles.join() === other.data.roles.join()
    : one.type === other.type;
