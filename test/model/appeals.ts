import { ChangeBatchItem } from '../../src/commands/batch/change-batch-item.js';
import { readCase } from '../../src/commands/support/case-command.js';
import { FinishCaseEffects } from '../../src/commands/case/case-effects.js';
import {
  AppealDecision,
  ClaimCase,
  DecideCase,
  DiscloseCase,
  ReleaseCase,
  ReopenCase,
  RuleOnAppeal,
} from '../../src/commands/case/change-case.js';
import { groundsOf, hidingRestrictions } from '../../src/commands/support/grounds.js';
import type { HidingRestriction } from '../../src/commands/support/grounds.js';
import { RestrictPost } from '../../src/commands/post/restrict-post.js';
import { handleCommand } from '../../src/commands/support/handle-command.js';
import { Clock } from '../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../src/base/support/id-generator.js';
import { evolveCase, noCase } from '../../src/domain/case/case.js';
import type { Case, CaseDecision, CaseEvent } from '../../src/domain/case/case.js';
import { openCase } from '../../src/domain/case/handling.js';
import type { PostEvent } from '../../src/domain/post/events.js';
import { evolvePost, noPost } from '../../src/domain/post/post.js';
import { Refusal } from '../../src/domain/refusal.js';
import { batchIdOf, streams } from '../../src/log/streams.js';
import { EventLog } from '../../src/log/event-log.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { commandsOn } from '../support/commands.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';

const [postId, actorId] = ['p', 'ana'];
const caseId = `post-${postId}`;
const subject = { caseId, postId, targetActorId: actorId };

export const operators = ['grace', 'hedy'] as const;
export const SHARED = 'shared-token';

/** `undefined`: it is not an operator's. */
export type Act = readonly [name: ActName, by?: string];
export type ActName = (typeof actNames)[number];
export const actNames = [
  'report',
  'appeal',
  'claim',
  'decide',
  'clear',
  'reopen',
  'overturn',
  'restrict',
  'batch',
  'undo',
] as const;

/** The commands of cases, posts and batches, on a log in memory, about one post. */
export class AppealsWorld {
  private readonly commands = commandsOn([
    [EventLog, this.log],
    [Clock, { now: () => this.log.length }],
    [IdGenerator, systemIds],
    // Only a suspension reads rows.
    [AuthorityStore, {}],
  ]);

  private constructor(private readonly log: MemoryLog) {}

  /** With the post alone. */
  static first(): AppealsWorld {
    const log = new MemoryLog();
    log.add(some.post(postId, { authorActorId: actorId }));
    return new AppealsWorld(log);
  }

  copy(): AppealsWorld {
    return new AppealsWorld(this.log.copy());
  }

  /** True: it changed something; false: there was nothing to do. @throws {Refusal} */
  async perform([name, by = '']: Act): Promise<boolean> {
    const before = this.log.length;
    await this.acts[name]({ requestId: 'test', operatorId: by });
    await this.commands.execute(new FinishCaseEffects(caseId));
    return this.log.length > before;
  }

  private readonly acts: Record<ActName, (by: By) => Promise<unknown>> = {
    report: async (by) =>
      handleCommand<Case, CaseEvent>(this.log, systemIds, {
        stream: streams.case(caseId),
        initial: noCase,
        evolve: evolveCase,
        decide: (state) => openCase(state, { subject, reportId: 'r', position: this.log.length, at: 1 }),
        metadata: by,
      }),
    appeal: async (by) => {
      const appealable = (await this.decisions()).findLast(
        ({ outcome, appeal }) => outcome === 'violation' && appeal === 'none',
      );
      const filed = { actorId, decisionId: appealable?.decisionId ?? '', appeal: 'No.' };
      await this.commands.execute(new AppealDecision(caseId, filed, by));
    },
    claim: async (by) => {
      await this.commands.execute(new ReleaseCase(caseId, by));
      await this.commands.execute(new ClaimCase(caseId, by));
      const seen = { eventIds: [], networkRevision: this.log.length };
      await this.commands.execute(new DiscloseCase(caseId, seen, by));
    },
    decide: (by) => this.decide(by, { outcome: 'violation', effects: ['restrict_post'] }),
    clear: (by) => this.decide(by, { outcome: 'no_violation', effects: [] }),
    reopen: (by) => this.commands.execute(new ReopenCase(caseId, by)),
    overturn: async (by) => {
      const waiting = (await this.decisions()).find(
        ({ appeal, operatorId }) => appeal === 'waiting' && operatorId !== by.operatorId,
      );
      const ruling = { decisionId: waiting?.decisionId ?? '', ruling: 'overturned' } as const;
      await this.commands.execute(new RuleOnAppeal(caseId, ruling, by));
    },
    restrict: (by) => this.commands.execute(new RestrictPost(postId, by)),
    batch: async (by) => {
      const batchId = `b${this.log.length}`;
      const items = [postId];
      const changed = await this.changeItem('apply', { ...by, cause: streams.batch(batchId) });
      if (changed === 'changed')
        this.log.addWithMetadata(by, {
          type: 'batch.requested',
          data: { batchId, kind: 'posts', items, at: 1 },
        });
    },
    undo: async (by) => {
      const newest = await this.newestBatch();
      if (!newest || newest.isUndone) return;
      const { batchId, cause } = newest;
      this.log.addWithMetadata(by, { type: 'batch.undo_requested', data: { batchId, at: 1 } });
      await this.changeItem('undo', { ...by, cause });
    },
  };

  private async newestBatch() {
    const past = await this.log.read(streams.post(postId));
    const { cause = '' } =
      past.findLast(({ metadata }) => batchIdOf(metadata.cause ?? '') !== undefined)?.metadata ?? {};
    const [requested, undone] = await this.log.read(cause);
    if (requested?.event.type !== 'batch.requested') return undefined;
    return { batchId: requested.event.data.batchId, cause, isUndone: undone !== undefined };
  }

  private decide(by: By, decision: DecideCase['decision']) {
    return this.commands.execute(new DecideCase(caseId, decision, by));
  }

  private changeItem(step: 'apply' | 'undo', metadata: By & { readonly cause: string }) {
    return this.commands.execute(new ChangeBatchItem('posts', postId, step, metadata));
  }

  async decisions(): Promise<readonly CaseDecision[]> {
    const { state } = await readCase(this.log, caseId);
    return state.status === 'none' ? [] : state.decisions;
  }

  async isHidden(): Promise<boolean> {
    const past = await this.log.read(streams.post(postId));
    return (
      past.reduce((post, { event }) => evolvePost(post, event as PostEvent), noPost).status !== 'published'
    );
  }

  /** What the pages name as hiding the post. */
  hiding(): Promise<readonly HidingRestriction[]> {
    return hidingRestrictions(this.log, subject);
  }

  /** Equal for two histories after which the same acts have the same outcomes. */
  async key(): Promise<string> {
    const { state } = await readCase(this.log, caseId);
    if (state.status === 'none') return 'none';
    const decisions = state.decisions.map(
      ({ decisionId: _id, at: _at, networkRevision: _to, ...rest }) => rest,
    );
    const past = await this.log.read(streams.post(postId));
    const post = groundsOf(past).map(({ metadata: { operatorId, decisionId, cause } }) => [
      operatorId,
      state.decisions.findIndex((each) => each.decisionId === decisionId),
      cause !== undefined && decisionId === undefined,
    ]);
    const undone = await this.newestBatch();
    return JSON.stringify([state.status, state.claim?.operatorId, decisions, post, undone?.isUndone]);
  }
}

type By = { readonly requestId: string; readonly operatorId: string };

export const isRecusal = (error: unknown): boolean =>
  error instanceof Refusal && /Your decision of case|the shared token does not prove/.test(error.message);
