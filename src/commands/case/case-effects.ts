import { Command, CommandBus, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveAccount, noAccount } from '../../domain/account/account.js';
import type { AccountEvent } from '../../domain/account/account.js';
import { finishEffects, unfinishedDecisions } from '../../domain/case/appeals.js';
import { evolveCase, noCase } from '../../domain/case/case.js';
import type { Case, CaseDecision, CaseEvent } from '../../domain/case/case.js';
import type { CaseEffect, CaseSubject } from '../../domain/case/events.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog, LogUnavailable } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { ReinstateAccount, SuspendAccount } from '../account/accounts.js';
import { RestrictPost, UnrestrictPost } from '../post/restrict-post.js';
import { Clock } from '../../base/support/clock.js';
import { handleCommand } from '../support/handle-command.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { readCase } from '../support/case-command.js';
import type { RecordedCase } from '../support/case-command.js';
import { restrictionsInForce, standingRestrictions } from './standing-restrictions.js';

const ATTEMPTS = 5;

/**
 * Applies or undoes the effects that the decisions of a case still need, each once: their events carry the decision, so
 * a repetition finds them. Returns the number of decisions that it finished.
 * @throws errors of log, witness and store; a repetition finishes the rest.
 */
export class FinishCaseEffects extends Command<number> {
  constructor(readonly caseId: string) {
    super();
  }
}

/** One effect on its subject, by the lifecycle revision of the subject. */
interface Effect {
  readonly stream: string;
  readonly type: PostEvent['type'] | AccountEvent['type'];
  readonly lift: PostEvent['type'] | AccountEvent['type'];
  readonly lifecycleOf: (past: readonly Recorded[]) => number;
  readonly apply: (
    metadata: EventMetadata,
    expected: ExpectedLifecycle,
  ) => Command<{ readonly changed: boolean }>;
  readonly undo: (
    metadata: EventMetadata,
    expected: ExpectedLifecycle,
  ) => Command<{ readonly changed: boolean }>;
}

function effectOf(effect: CaseEffect, { postId = '', targetActorId }: CaseSubject): Effect {
  if (effect === 'restrict_post')
    return {
      stream: streams.post(postId),
      type: 'post.restricted',
      lift: 'post.unrestricted',
      lifecycleOf: (past) =>
        past.reduce((post, { event }) => evolvePost(post, event as PostEvent), noPost).lifecycle,
      apply: (metadata, expected) => new RestrictPost(postId, metadata, expected),
      undo: (metadata, expected) => new UnrestrictPost(postId, metadata, expected),
    };
  return {
    stream: streams.account(targetActorId),
    type: 'account.suspended',
    lift: 'account.reinstated',
    lifecycleOf: (past) =>
      past.reduce((account, { event }) => evolveAccount(account, event as AccountEvent), noAccount).lifecycle,
    apply: (metadata, expected) => new SuspendAccount(targetActorId, metadata, expected),
    undo: (metadata, expected) => new ReinstateAccount(targetActorId, metadata, expected),
  };
}

@CommandHandler(FinishCaseEffects)
export class FinishCaseEffectsHandler implements ICommandHandler<FinishCaseEffects> {
  constructor(
    private readonly log: EventLog,
    private readonly commands: CommandBus,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ caseId }: FinishCaseEffects): Promise<number> {
    const { recorded, unfinished } = await readNewest(
      this.log,
      async () => {
        const found = await readCase(this.log, caseId);
        return { recorded: found, unfinished: unfinishedDecisions(found.state) };
      },
      (found) => found.unfinished.length > 0,
    );
    for (const decision of unfinished) await this.finish(recorded, decision);
    return unfinished.length;
  }

  private async finish({ state, events }: RecordedCase, decision: CaseDecision): Promise<void> {
    if (state.status === 'none') return;
    const { decisionId, effects } = decision;
    const execution = decision.execution === 'due' ? 'applied' : 'undone';
    const decidedBy = execution === 'applied' ? 'case.decided' : 'case.appeal_overturned';
    const by = events.find(
      ({ event }) =>
        event.type === decidedBy && 'decisionId' in event.data && event.data.decisionId === decisionId,
    )?.metadata;
    const stream = streams.case(state.subject.caseId);
    const { requestId = this.ids.uuid(), clientRequestId, operatorId, operator, reason } = by ?? {};
    const metadata = {
      requestId,
      clientRequestId,
      operatorId,
      operator,
      reason,
      cause: stream,
      decisionId,
    };
    const changed: CaseEffect[] = [];
    for (const each of effects) {
      const effect = effectOf(each, state.subject);
      if (
        await this.run(() =>
          execution === 'applied' ? this.apply(effect, metadata) : this.undo(effect, metadata),
        )
      )
        changed.push(each);
    }
    const { added } = await handleCommand<Case, CaseEvent>(this.log, this.ids, {
      stream,
      initial: noCase,
      evolve: evolveCase,
      decide: (known) => finishEffects(known, { decisionId, execution, changed, at: this.clock.now() }),
      metadata,
    });
    // Another process was first. Where the decision has been overturned since, this one was so slow that it applied it afterwards.
    if (added.length === 0)
      for (const each of changed) await this.run(() => this.undo(effectOf(each, state.subject), metadata));
  }

  /** Retries after a concurrent change of the subject. A refusal by the rules, as for a deleted post, is final. */
  private async run(once: () => Promise<boolean>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code !== 'lifecycle_revision_conflict') return false;
        if (attempt === ATTEMPTS)
          throw new LogUnavailable('others kept changing the subject of the case; retry', { cause: error });
      }
    }
  }

  private async apply(effect: Effect, metadata: EventMetadata): Promise<boolean> {
    const past = await this.log.read(effect.stream);
    const own = ownEvent(past, effect.type, metadata);
    if (own) {
      await this.log.ensureWitnessed([own]);
      return true;
    }
    const lifecycle = effect.lifecycleOf(past);
    const { changed } = await this.commands.execute(effect.apply(metadata, { lifecycle }));
    return changed;
  }

  /** Undoes the effect, unless somebody lifted it before, or something else than overturned decisions restricts its subject. */
  private async undo(effect: Effect, metadata: EventMetadata): Promise<boolean> {
    const { past, lifted, isDue } = await readNewest(
      this.log,
      () => this.toUndo(effect, metadata),
      (found) => found.isDue || found.lifted !== undefined,
    );
    if (lifted) {
      await this.log.ensureWitnessed([lifted]);
      return true;
    }
    if (!isDue) return false;
    const lifecycle = effect.lifecycleOf(past);
    const { changed } = await this.commands.execute(effect.undo(metadata, { lifecycle }));
    return changed;
  }

  private async toUndo({ stream, type, lift }: Effect, metadata: EventMetadata): Promise<ToUndo> {
    const past = await this.log.read(stream);
    const lifted = ownEvent(past, lift, metadata);
    const isDue =
      !lifted &&
      ownEvent(restrictionsInForce(past), type, metadata) !== undefined &&
      (await standingRestrictions(this.log, past)).length === 0;
    return { past, lifted, isDue };
  }
}

/** `lifted`: the effect is undone already. `isDue`: it is in force, and nothing else that stands is. */
interface ToUndo {
  readonly past: readonly Recorded[];
  readonly lifted: Recorded | undefined;
  readonly isDue: boolean;
}

const ownEvent = (
  past: readonly Recorded[],
  type: Effect['type'],
  { decisionId }: EventMetadata,
): Recorded | undefined =>
  past.findLast(({ event, metadata }) => event.type === type && metadata.decisionId === decisionId);
