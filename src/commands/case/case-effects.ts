import { Command, CommandBus } from '@nestjs/cqrs';
import { finishEffects, unfinishedDecisions } from '../../domain/case/appeals.js';
import type { CaseDecision } from '../../domain/case/case.js';
import type { CaseEffect, CaseSubject } from '../../domain/case/events.js';
import type { ExpectedLifecycle, LifecycleState } from '../../domain/lifecycle.js';
import { Refusal } from '../../domain/refusal.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import type { StoredEvent } from '../../log/registry.js';
import { ReinstateAccount, SuspendAccount } from '../account/accounts.js';
import { RestrictPost, UnrestrictPost } from '../post/restrict-post.js';
import { aggregates, stateAfter } from '../support/aggregates.js';
import { groundsOf, isGround, isLift, standingGrounds } from '../support/grounds.js';
import type { Aggregate } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { WriteSide } from '../support/write-side.js';
import { readCase } from '../support/case-command.js';
import type { RecordedCase } from '../support/case-command.js';

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

type ChangeOfSubject = new (
  id: string,
  metadata: EventMetadata,
  expected: ExpectedLifecycle,
) => Command<{ readonly changed: boolean }>;

/** One effect on its subject, by the lifecycle revision of the subject. */
interface Effect {
  readonly id: string;
  readonly stream: string;
  readonly lifecycleOf: (past: readonly Recorded[]) => number;
  readonly Apply: ChangeOfSubject;
  readonly Undo: ChangeOfSubject;
}

function effectOf(effect: CaseEffect, { postId = '', targetActorId }: CaseSubject): Effect {
  return effect === 'restrict_post'
    ? effectOn(postId, aggregates.post(postId), { Apply: RestrictPost, Undo: UnrestrictPost })
    : effectOn(targetActorId, aggregates.account(targetActorId), {
        Apply: SuspendAccount,
        Undo: ReinstateAccount,
      });
}

const effectOn = <State extends LifecycleState, Event extends StoredEvent>(
  id: string,
  subject: Aggregate<State, Event>,
  commands: Pick<Effect, 'Apply' | 'Undo'>,
): Effect => ({
  id,
  stream: subject.stream,
  lifecycleOf: (past) => stateAfter(subject, past).lifecycle,
  ...commands,
});

export const finishCaseEffectsHandler = handles(
  FinishCaseEffects,
  { commands: CommandBus },
  ({ caseId }, write, { commands }) => new CaseEffects(write, commands).finish(caseId),
);

class CaseEffects {
  constructor(
    private readonly write: WriteSide,
    private readonly commands: CommandBus,
  ) {}

  async finish(caseId: string): Promise<number> {
    const { log } = this.write;
    const { recorded, unfinished } = await readNewest(
      log,
      async () => {
        const found = await readCase(log, caseId);
        return { recorded: found, unfinished: unfinishedDecisions(found.state) };
      },
      (found) => found.unfinished.length > 0,
    );
    for (const decision of unfinished) await this.finishDecision(recorded, decision);
    return unfinished.length;
  }

  private async finishDecision({ state, events }: RecordedCase, decision: CaseDecision): Promise<void> {
    if (state.status === 'none') return;
    const { decisionId, effects } = decision;
    const execution = decision.execution === 'due' ? 'applied' : 'undone';
    const decidedBy = execution === 'applied' ? 'case.decided' : 'case.appeal_overturned';
    const by = events.find(
      ({ event }) =>
        event.type === decidedBy && 'decisionId' in event.data && event.data.decisionId === decisionId,
    )?.metadata;
    const aggregate = aggregates.case(state.subject.caseId);
    const { requestId = this.write.ids.uuid(), clientRequestId, operatorId, operator, reason } = by ?? {};
    const metadata = {
      requestId,
      clientRequestId,
      operatorId,
      operator,
      reason,
      cause: aggregate.stream,
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
    const { added } = await this.write.change(aggregate, metadata, (known) =>
      finishEffects(known, { decisionId, execution, changed, at: this.write.now() }),
    );
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
    const past = await this.write.log.read(effect.stream);
    const own = ownEvent(past, isGround, metadata);
    if (own) {
      await this.write.log.ensureWitnessed([own]);
      return true;
    }
    const lifecycle = effect.lifecycleOf(past);
    const { changed } = await this.commands.execute(new effect.Apply(effect.id, metadata, { lifecycle }));
    return changed;
  }

  /** Undoes the effect, unless somebody lifted it before, or something else than overturned decisions restricts its subject. */
  private async undo(effect: Effect, metadata: EventMetadata): Promise<boolean> {
    const { past, lifted, isDue } = await readNewest(
      this.write.log,
      () => this.toUndo(effect, metadata),
      (found) => found.isDue || found.lifted !== undefined,
    );
    if (lifted) {
      await this.write.log.ensureWitnessed([lifted]);
      return true;
    }
    if (!isDue) return false;
    const lifecycle = effect.lifecycleOf(past);
    const { changed } = await this.commands.execute(new effect.Undo(effect.id, metadata, { lifecycle }));
    return changed;
  }

  private async toUndo({ stream }: Effect, metadata: EventMetadata): Promise<ToUndo> {
    const past = await this.write.log.read(stream);
    const lifted = ownEvent(past, isLift, metadata);
    const isDue =
      !lifted &&
      ownEvent(groundsOf(past), isGround, metadata) !== undefined &&
      (await standingGrounds(this.write.log, past)).length === 0;
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
  kind: typeof isGround,
  { decisionId }: EventMetadata,
): Recorded | undefined => past.findLast((each) => kind(each) && each.metadata.decisionId === decisionId);
