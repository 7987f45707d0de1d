import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import type { IdGenerator } from './ambient.js';
import { handleCommand } from './handle-command.js';
import type { CommandContext } from './handle-command.js';
import { earlierOutcome, isOfIntent, metadataOf } from './intent.js';
import type { Intent } from './intent.js';

export interface IdempotentCommandContext<State, Event extends StoredEvent> extends Pick<
  CommandContext<State, Event>,
  'stream' | 'read' | 'initial' | 'evolve'
> {
  readonly intent: Intent;
  /** Digest of all that was sent, the verb with it: the same intent cannot both set something and take it back. */
  readonly payloadHash: string;
  /** Which events of the stream are the addressed resource's; undefined: all. Others may bear the same intentId. */
  readonly filter?: (event: Event) => boolean;
  /** Which events make what the actor is shown of the stream; undefined: all. The others' positions are not told. */
  readonly isVisible?: (event: Event) => boolean;
  /** Refused once the actor has done so {@link MAX_CHANGES} times. What takes something back or away is never counted. */
  readonly isLimited?: boolean;
  readonly decide: (state: State) => Decision<Event>;
}

export interface IntentOutcome<State, Event extends StoredEvent> {
  /** What the intent made of the stream when it was first carried out; where it changed nothing, the state as it is. */
  readonly state: State;
  /** The state as it is, whatever has happened since the intent was first carried out. */
  readonly newest: State;
  /** What it appended, now or the first time. Empty: it changed nothing. */
  readonly own: readonly Recorded<Event>[];
  /** From which position readers see all of this; 0 if nothing was ever done. */
  readonly position: bigint;
}

/**
 * How often one actor may change one thing. An intent is looked for in all of a stream, however old: without an end to
 * it whoever follows and unfollows somebody all day would make a stream that no block could be decided on in time.
 */
export const MAX_CHANGES = 1_000;

/**
 * Carries an intent out on a stream that others write to as well: the first outcome again if it was carried out before,
 * and only then what the rules say now. An intent that changes nothing leaves nothing behind, and is decided anew when
 * it is repeated.
 * @throws {Refusal} `intent_conflict`, and those of `decide`; {@link LogUnavailable} as {@link handleCommand} does.
 */
export async function handleIdempotentCommand<State, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  context: IdempotentCommandContext<State, Event>,
): Promise<IntentOutcome<State, Event>> {
  const { stream, read, initial, evolve, intent, payloadHash, isLimited = false, decide } = context;
  const { filter = () => true, isVisible = () => true } = context;
  const { past, added } = await handleCommand<State, Event>(log, ids, {
    stream,
    ...(read && { read }),
    initial,
    evolve,
    toConfirm: (recorded) => {
      const addressed = recorded.filter(({ event }) => filter(event));
      const first = addressed.filter((each) => isOfIntent(each, intent));
      return first.length > 0 ? first : addressed;
    },
    metadata: metadataOf(intent, payloadHash),
    decide: (state, recorded) => {
      const addressed = recorded.filter(({ event }) => filter(event));
      if (earlierOutcome(addressed, intent, payloadHash)) return [];
      const decision = decide(state);
      const changesNothing = decision instanceof Refusal || decision.length === 0;
      return isLimited && !changesNothing && actsOf(intent.actorId, addressed) >= MAX_CHANGES
        ? changedTooOften()
        : decision;
    },
  });
  const whole = [...past, ...added];
  const own = whole.filter((recorded) => isOfIntent(recorded, intent) && filter(recorded.event));
  const fold = (events: readonly Recorded<Event>[]) =>
    events.reduce((state, { event }) => evolve(state, event), initial);
  const upTo = own.at(-1)?.revision;
  return {
    state: fold(upTo === undefined ? whole : whole.filter(({ revision }) => revision <= upTo)),
    newest: fold(whole),
    own,
    position: whole.findLast(({ event }) => isVisible(event))?.position ?? 0n,
  };
}

const actsOf = (actorId: string, recorded: readonly Recorded[]): number =>
  recorded.filter(({ metadata }) => metadata.actorId === actorId).length;

const changedTooOften = (): Refusal =>
  new Refusal(
    'domain_plan_too_large',
    `You have changed this ${MAX_CHANGES.toLocaleString('en')} times, which is as often as one thing can be changed.`,
  );
