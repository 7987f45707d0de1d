import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import { evolveAccount, noAccount, reinstateAccount, suspendAccount } from '../../domain/account/account.js';
import type { Account, AccountEvent } from '../../domain/account/account.js';
import type { BatchKind } from '../../domain/batch/events.js';
import { isLiftedBy, isRestrictedBy, isRestricting, mayLift } from '../../domain/batch/item.js';
import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import type { Post } from '../../domain/post/post.js';
import { restrictPost, unrestrictPost } from '../../domain/post/restriction.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { caseIdOf, streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { isOverturned } from '../case/overturned.js';
import { Recusals, withRecusal } from '../support/recusals.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';
import type { Decided } from '../support/handle-command.js';

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

const streamOf = (kind: BatchKind, itemId: string): string =>
  kind === 'posts' ? streams.post(itemId) : streams.account(itemId);

@Injectable()
@CommandHandler(ChangeBatchItem)
export class ChangeBatchItemHandler implements ICommandHandler<ChangeBatchItem> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly recusals: Recusals,
  ) {}

  async execute({ kind, itemId, step, metadata }: ChangeBatchItem): Promise<ItemOutcome> {
    const changesOf = async (past: Past) => {
      const overturned = step === 'undo' ? await this.overturnedAmong(past) : new Set();
      return past
        .filter(({ id }) => !overturned.has(id))
        .map(({ event: { type }, metadata: { cause } }) => ({ type, isOwn: cause === metadata.cause }));
    };
    const isDue = async (past: Past) =>
      step === 'apply' ? !isRestrictedBy(await changesOf(past)) : mayLift(await changesOf(past));
    const decided = await this.change(kind, itemId, step, isDue, metadata);
    if (!decided) return 'skipped';
    const { past, added } = decided;
    if (added.length > 0) return 'changed';
    const changes = await changesOf(past);
    if (step === 'apply') return isRestrictedBy(changes) ? 'changed' : 'skipped';
    if (isLiftedBy(changes)) return 'changed';
    return isRestrictedBy(changes) ? 'skipped' : 'untouched';
  }

  /** Ids of the events by which decisions restricted the item that were overturned since. */
  private async overturnedAmong(past: Past): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const each of past)
      if (isRestricting(each.event.type) && caseIdOf(each.metadata.cause ?? '') !== undefined)
        if (await isOverturned(this.log, each)) ids.add(each.id);
    return ids;
  }

  /** Undefined: the rules refuse the change of this item. */
  private async change(
    kind: BatchKind,
    itemId: string,
    step: 'apply' | 'undo',
    isDue: (past: Past) => Promise<boolean>,
    metadata: EventMetadata,
  ): Promise<Pick<Decided<PostEvent | AccountEvent>, 'past' | 'added'> | undefined> {
    const at = this.clock.now();
    const stream = streamOf(kind, itemId);
    const ifDue = <State, Event extends PostEvent | AccountEvent>(
      find: (state: State) => Promise<Refusal | undefined>,
      decide: (state: State) => Decision<Event>,
    ) =>
      withRecusal<State, Event>(
        async (state) => (step === 'undo' ? undefined : find(state)),
        async (state, past) => ((await isDue(past)) ? decide(state) : []),
      );
    try {
      if (kind === 'posts')
        return await handleCommand<Post, PostEvent>(this.log, this.ids, {
          stream,
          initial: noPost,
          evolve: evolvePost,
          decide: ifDue<Post, PostEvent>(
            (post) => this.recusals.ofPost(itemId, post, metadata),
            (post) => (step === 'apply' ? restrictPost(post, { at }) : unrestrictPost(post, { at })),
          ),
          metadata,
        });
      const change = { actorId: itemId, at };
      const decided = await handleCommand<Account, AccountEvent>(this.log, this.ids, {
        stream,
        initial: noAccount,
        evolve: evolveAccount,
        decide: ifDue<Account, AccountEvent>(
          () => this.recusals.ofActor(itemId, metadata),
          (account) =>
            step === 'apply' ? suspendAccount(account, change) : reinstateAccount(account, change),
        ),
        metadata,
      });
      await projectInline([...decided.past, ...decided.added], this.store.db);
      return decided;
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }
}
