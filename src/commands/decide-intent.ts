import type { Decision } from '../domain/refusal.js';
import type { EventLog } from '../log/event-log.js';
import type { Recorded } from '../log/recorded.js';
import type { StoredEvent } from '../log/registry.js';
import type { Ids } from './ambient.js';
import { decideOn } from './decide-on.js';
import type { Deliberation } from './decide-on.js';
import { earlierOutcome, isOfIntent, metadataOf } from './intent.js';
import type { Intent } from './intent.js';

export interface IntentDeliberation<State, Event extends StoredEvent> extends Pick<
  Deliberation<State, Event>,
  'stream' | 'initial' | 'evolve'
> {
  readonly intent: Intent;
  /** Digest of all that was sent, the verb with it: the same intent cannot both set something and take it back. */
  readonly payloadHash: string;
  /** Which events of the stream are the addressed resource's; undefined: all. Others may bear the same intentId. */
  readonly concerns?: (event: Event) => boolean;
  readonly decide: (state: State) => Decision<Event>;
}

export interface IntentOutcome<State, Event extends StoredEvent> {
  /** What the intent made of the stream when it was first carried out; where it changed nothing, the state as it is. */
  readonly state: State;
  /** The state as it is, whatever has happened since the intent was first carried out. */
  readonly newest: State;
  /** What it appended, now or the first time. Empty: it changed nothing. */
  readonly own: readonly Recorded<Event>[];
  /** From which position readers see all of this; 0 if there is no such stream. */
  readonly position: bigint;
}

/**
 * Carries an intent out on a stream that others write to as well: the first outcome again if it was carried out before,
 * and only then what the rules say now. An intent that changes nothing leaves nothing behind, and is decided anew when
 * it is repeated.
 * @throws {Refusal} `intent_conflict`, and those of `decide`; {@link LogUnavailable} as {@link decideOn} does.
 */
export async function decideIntent<State, Event extends StoredEvent>(
  log: EventLog,
  ids: Ids,
  deliberation: IntentDeliberation<State, Event>,
): Promise<IntentOutcome<State, Event>> {
  const { stream, initial, evolve, intent, payloadHash, concerns = () => true, decide } = deliberation;
  const { past, added } = await decideOn<State, Event>(log, ids, {
    stream,
    initial,
    evolve,
    metadata: metadataOf(intent, payloadHash),
    decide: (state, recorded) => {
      const addressed = recorded.filter(({ event }) => concerns(event));
      return earlierOutcome(addressed, intent, payloadHash) ? [] : decide(state);
    },
  });
  const whole = [...past, ...added];
  const own = whole.filter((recorded) => isOfIntent(recorded, intent) && concerns(recorded.event));
  const fold = (events: readonly Recorded<Event>[]) =>
    events.reduce((state, { event }) => evolve(state, event), initial);
  const upTo = own.at(-1)?.revision;
  return {
    state: fold(upTo === undefined ? whole : whole.filter(({ revision }) => revision <= upTo)),
    newest: fold(whole),
    own,
    position: whole.at(-1)?.position ?? 0n,
  };
}
