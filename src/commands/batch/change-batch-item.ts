import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import { reinstateAccount, suspendAccount } from '../../domain/account/account.js';
import type { BatchKind } from '../../domain/batch/events.js';
import { restrictPost, unrestrictPost } from '../../domain/post/restriction.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { aggregates } from '../support/aggregates.js';
import type { Aggregate, Decided } from '../support/handle-command.js';
import { isGround, isLift, newestAct } from '../support/grounds.js';
import { handles } from '../support/handles.js';
import { Recusals, withRecusal } from '../support/recusals.js';
import type { WriteSide } from '../support/write-side.js';

/**
 * `skipped`: somebody else restricted it, acted on it since, it is gone, or the operator must leave it to others.
 * `untouched`: the batch never changed it.
 */
export type ItemOutcome = 'changed' | 'skipped' | 'untouched';

/**
 * Restricts one post or account of a batch, or lifts that again. `metadata.cause` names the batch: an item that it
 * restricted before is not restricted again, whatever happened since.
 * @throws errors of log and store
 */
export class ChangeBatchItem extends Command<ItemOutcome> {
  constructor(
    readonly kind: BatchKind,
    readonly itemId: string,
    readonly step: 'apply' | 'undo',
    readonly metadata: EventMetadata & { readonly cause: string },
  ) {
    super();
  }
}

type Past = readonly Recorded[];

export const changeBatchItemHandler = handles(
  ChangeBatchItem,
  { recusals: Recusals },
  async (asked, write, { recusals }) => {
    const { step, metadata } = asked;
    const isOwn = ({ metadata: { cause } }: Recorded) => cause === metadata.cause;
    const hasRestricted = (past: Past) => past.some((each) => isGround(each) && isOwn(each));
    // Nobody acted on the item after the batch restricted it, or after the batch lifted that.
    const isNewest = async (past: Past, kind: typeof isGround) => {
      const newest = await newestAct(write.log, past);
      return newest !== undefined && isOwn(newest) && kind(newest);
    };
    const isDue = async (past: Past) => (step === 'apply' ? !hasRestricted(past) : isNewest(past, isGround));
    const decided = await changeItem(asked, write, recusals, isDue);
    if (!decided) return 'skipped';
    const { past, added } = decided;
    if (added.length > 0) return 'changed';
    if (step === 'apply') return hasRestricted(past) ? 'changed' : 'skipped';
    if (await isNewest(past, isLift)) return 'changed';
    return hasRestricted(past) ? 'skipped' : 'untouched';
  },
);

/** Undefined: the rules refuse the change of this item. */
async function changeItem(
  { kind, itemId, step, metadata }: ChangeBatchItem,
  write: WriteSide,
  recusals: Recusals,
  isDue: (past: Past) => Promise<boolean>,
): Promise<Decided<StoredEvent> | undefined> {
  const at = write.now();
  const change = <State, Event extends StoredEvent>(
    aggregate: Aggregate<State, Event>,
    recusal: (state: State) => Promise<Refusal | undefined>,
    decide: (state: State) => Decision<Event>,
  ) =>
    write.change<State, Event>(
      aggregate,
      metadata,
      withRecusal(
        async (state) => (step === 'undo' ? undefined : recusal(state)),
        async (state, past) => ((await isDue(past)) ? decide(state) : []),
      ),
    );
  try {
    if (kind === 'posts')
      return await change(
        aggregates.post(itemId),
        (post) => recusals.ofPost(itemId, post, metadata),
        (post) => (step === 'apply' ? restrictPost(post, { at }) : unrestrictPost(post, { at })),
      );
    const item = { actorId: itemId, at };
    const decided = await change(
      aggregates.account(itemId),
      () => recusals.ofActor(itemId, metadata),
      (account) => (step === 'apply' ? suspendAccount(account, item) : reinstateAccount(account, item)),
    );
    await projectInline([...decided.past, ...decided.added], write.store.db);
    return decided;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
