import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from './handle-command.js';
import type { Aggregate, CommandContext } from './handle-command.js';
import { earlierOutcome, isOfIntent, metadataOf } from './intent.js';
import type { Intent } from './intent.js';

/**
 * `payloadHash` covers the verb: the same intent cannot both set and undo.
 * `filter`: the events of the addressed resource; undefined: all. Other events may have the same intentId.
 * `isVisible`: the events that the actor may see; undefined: all. Positions of other events are not disclosed.
 * `isLimited`: refuses after {@link MAX_CHANGES} changes by the actor. Never set for a block, nor to end a follow or
 * like or delete a post.
 */
export interface IdempotentCommandContext<State, Event extends StoredEvent>
  extends Aggregate<State, Event>, Pick<CommandContext<State, Event>, 'isProbablyNew'> {
  readonly intent: Intent;
  readonly payloadHash: string;
  readonly filter?: (event: Event) => boolean;
  readonly isVisible?: (event: Event) => boolean;
  readonly isLimited?: boolean;
  readonly decide: (state: State) => Decision<Event> | Promise<Decision<Event>>;
}

/**
 * `state`: after the first execution of the intent; equal to `newest` if the intent changed nothing.
 * `ownEvents`: the events of the intent, appended now or before; empty if it changed nothing.
 * `position`: reads show the outcome from here; 0 if the stream has no visible event.
 */
export interface IntentOutcome<State, Event extends StoredEvent> {
  readonly state: State;
  readonly newest: State;
  readonly ownEvents: readonly Recorded<Event>[];
  readonly position: bigint;
}

/**
 * Changes of one resource by one actor, after which more are refused. An intent is searched in the whole stream:
 * unbounded follows and unfollows would make a stream too long to decide a block in time.
 */
export const MAX_CHANGES = 1_000;

/**
 * Executes an intent on a stream with other writers. A repeated intent returns its first outcome, without asking the
 * rules again. An intent that changes nothing records nothing and is decided anew when repeated.
 * @throws {Refusal} `intent_conflict`, and those of `decide`; {@link LogUnavailable} as {@link handleCommand} does.
 */
export async function handleIdempotentCommand<State, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  context: IdempotentCommandContext<State, Event>,
): Promise<IntentOutcome<State, Event>> {
  const {
    stream,
    read,
    initial,
    evolve,
    intent,
    payloadHash,
    isLimited = false,
    decide,
    isProbablyNew = false,
  } = context;
  const { filter = () => true, isVisible = () => true } = context;
  const { past, added } = await handleCommand<State, Event>(log, ids, {
    stream,
    ...(read && { read }),
    isProbablyNew,
    initial,
    evolve,
    toConfirm: (recorded) => {
      const addressed = recorded.filter(({ event }) => filter(event));
      const first = addressed.filter((each) => isOfIntent(each, intent));
      return first.length > 0 ? first : addressed;
    },
    metadata: metadataOf(intent, payloadHash),
    isRepetition: (recorded) => recorded.some((each) => filter(each.event) && isOfIntent(each, intent)),
    decide: async (state, recorded) => {
      const addressed = recorded.filter(({ event }) => filter(event));
      if (earlierOutcome(addressed, intent, payloadHash)) return [];
      const decision = await decide(state);
      const changesNothing = decision instanceof Refusal || decision.length === 0;
      return isLimited && !changesNothing && changesBy(intent.actorId, addressed) >= MAX_CHANGES
        ? tooManyChanges()
        : decision;
    },
  });
  const all = [...past, ...added];
  const own = all.filter((recorded) => isOfIntent(recorded, intent) && filter(recorded.event));
  const stateAfter = (events: readonly Recorded<Event>[]) =>
    events.reduce((state, { event }) => evolve(state, event), initial);
  const lastRevision = own.at(-1)?.revision;
  return {
    state: stateAfter(
      lastRevision === undefined ? all : all.filter(({ revision }) => revision <= lastRevision),
    ),
    newest: stateAfter(all),
    ownEvents: own,
    position: all.findLast(({ event }) => isVisible(event))?.position ?? 0n,
  };
}

const changesBy = (actorId: string, recorded: readonly Recorded[]): number =>
  recorded.filter(({ metadata }) => metadata.actorId === actorId).length;

const tooManyChanges = (): Refusal =>
  new Refusal(
    'domain_plan_too_large',
    `You have changed this ${MAX_CHANGES.toLocaleString('en')} times, the limit for one thing; it takes no further changes of this kind.`,
  );
