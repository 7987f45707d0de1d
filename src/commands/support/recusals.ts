import { Injectable } from '@nestjs/common';
import { decidedAccounts, decidedCases } from '../../../projections/cases/cases.read-model.js';
import type { DecidedCase } from '../../../projections/cases/cases.read-model.js';
import type { BatchKind } from '../../domain/batch/events.js';
import type { CaseSubject } from '../../domain/case/events.js';
import { recusalOf } from '../../domain/case/recusal.js';
import { caseOfActor, caseOfPost } from '../../domain/case/subject.js';
import type { Post } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { isChange } from './handle-command.js';
import type { CommandContext } from './handle-command.js';
import { readCase } from './case-command.js';

/** A person may have thousands of decided cases. One after the other their reads would outlast the operator's request. */
const CONCURRENT_READS = 32;

type By = Pick<EventMetadata, 'operatorId' | 'decisionId'>;

/**
 * Finds the subjects that an operator must leave to others, because they made a decision that was appealed
 * (docs/adr/0029-cases.md).
 */
@Injectable()
export class Recusals {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
  ) {}

  /**
   * Returns why this operator may not restrict the post; undefined: they may. To hide the posts of an account, one after the
   * other, does what its suspension does. @throws {LogUnavailable}
   */
  ofPost(postId: string, post: Post, by: By): Promise<Refusal | undefined> {
    const ofAuthor = post.status === 'absent' ? [] : [caseOfActor(post.authorActorId)];
    return this.firstOf([caseOfPost(postId), ...ofAuthor], by);
  }

  /**
   * Returns why this operator may not suspend the actor, which hides each of their posts, too; undefined: they may.
   * @throws errors of log and store
   */
  async ofActor(actorId: string, by: By): Promise<Refusal | undefined> {
    const decided = await this.decided('accounts', [actorId]);
    return this.firstOf([caseOfActor(actorId), ...decided.map(({ caseId }) => caseId)], by);
  }

  /** As {@link ofActor}, by a decision of this case. In a case about a post, the suspension is for that post alone. */
  ofDecision({ postId, targetActorId }: CaseSubject, by: By): Promise<Refusal | undefined> {
    return postId === undefined
      ? this.ofActor(targetActorId, by)
      : this.firstOf([caseOfActor(targetActorId)], by);
  }

  /**
   * Returns the items of a batch that this operator may not restrict. `before`: as of this position of the log.
   * @throws errors of log and store
   */
  async ofItems(kind: BatchKind, items: readonly string[], by: By, before?: bigint): Promise<string[]> {
    const recused = await this.recusedAmong(await this.decided(kind, items), by, before);
    if (kind === 'accounts') return items.filter((item) => recused.has(item));
    const authors = await this.recusedAmong(
      await this.store.rows<DecidedCase>(decidedAccounts, []),
      by,
      before,
    );
    if (authors.size > 0)
      await inGroups(items, async (postId) => {
        if (authors.has(await this.authorOf(postId))) recused.add(postId);
      });
    return items.filter((item) => recused.has(item));
  }

  private async recusedAmong(decided: readonly DecidedCase[], by: By, before?: bigint): Promise<Set<string>> {
    const recused = new Set<string>();
    await inGroups(decided, async ({ caseId, item }) => {
      if (await this.ofCase(caseId, by, before)) recused.add(item);
    });
    return recused;
  }

  private async authorOf(postId: string): Promise<string> {
    const [created] = await this.log.read(streams.post(postId), { limit: 1 });
    const { authorActorId = '' } = (created?.event.data ?? {}) as { readonly authorActorId?: string };
    return authorActorId;
  }

  private async firstOf(caseIds: readonly string[], by: By): Promise<Refusal | undefined> {
    // The effect of a decision, which was taken when its operator was free to.
    if (by.decisionId !== undefined) return undefined;
    for (let at = 0; at < caseIds.length; at += CONCURRENT_READS) {
      const some = caseIds.slice(at, at + CONCURRENT_READS);
      const recusal = (await Promise.all(some.map((caseId) => this.ofCase(caseId, by)))).find(Boolean);
      if (recusal) return recusal;
    }
    return undefined;
  }

  private async ofCase(caseId: string, { operatorId }: By, before?: bigint): Promise<Refusal | undefined> {
    const { state } = await readCase(this.log, caseId, before);
    return recusalOf(state, operatorId);
  }

  /** Rows of the cases suffice: each had one before it could be decided. */
  private decided(kind: BatchKind, items: readonly string[]): Promise<DecidedCase[]> {
    return this.store.rows<DecidedCase>(decidedCases[kind], [
      kind === 'posts' ? items.map(caseOfPost) : items,
    ]);
  }
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += CONCURRENT_READS)
    await Promise.all(items.slice(at, at + CONCURRENT_READS).map(work));
}

/**
 * Refuses a change to an operator who must leave it to others. The cases are read after the subject: if a decision is
 * overturned in between, the end of its effect makes the append fail.
 */
export function withRecusal<State, Event extends StoredEvent>(
  find: (state: State) => Promise<Refusal | undefined>,
  decide: CommandContext<State, Event>['decide'],
): CommandContext<State, Event>['decide'] {
  return async (state, past) => {
    const decision = await decide(state, past);
    return isChange(decision) ? ((await find(state)) ?? decision) : decision;
  };
}
