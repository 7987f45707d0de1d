import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { Batches } from '../../../src/background/batches.js';
import { systemIds } from '../../../src/base/support/id-generator.js';
import { ChangeBatch } from '../../../src/commands/batch/change-batch.js';
import { AppealDecision } from '../../../src/commands/case/change-case.js';
import { readCase } from '../../../src/commands/support/case-command.js';
import { groundsOf } from '../../../src/commands/support/grounds.js';
import type { BatchKind } from '../../../src/domain/batch/events.js';
import type { CaseEffect } from '../../../src/domain/case/events.js';
import { streams } from '../../../src/log/streams.js';
import { some } from '../../projections/support/recorded.js';
import { Desk } from '../../support/desk.js';
import type { OperatorsSeat, Seat } from '../../support/desk.js';
import { startTestPostgres } from '../../support/postgres.js';
import type { TestPostgres } from '../../support/postgres.js';

type Subject = { readonly postId: string } | { readonly actorId: string };

const metadata = { requestId: 'test' };

/** What people, operators and the background do about cases, at a {@link Desk}. */
export class CaseDesk {
  private constructor(
    readonly desk: Desk,
    readonly grace: OperatorsSeat,
    readonly hedy: OperatorsSeat,
  ) {}

  static async open(postgres: TestPostgres): Promise<CaseDesk> {
    const desk = await Desk.open(postgres);
    return new CaseDesk(desk, await desk.enroll(['moderator']), await desk.enroll(['moderator']));
  }

  /** The background opens or reopens the case. Returns its id. */
  async report(subject: Subject, text = 'a report'): Promise<string> {
    const targetActorId = 'actorId' in subject ? subject.actorId : await this.authorOf(subject.postId);
    const postId = 'postId' in subject ? subject.postId : undefined;
    const reportId = systemIds.random();
    const report = some.report(reportId, { targetActorId, postId, text });
    await this.desk.given(streams.report(reportId), report);
    await this.desk.follow();
    return postId === undefined ? `actor-${targetActorId}` : `post-${postId}`;
  }

  /** A post that somebody reported. */
  async newCase(): Promise<{ readonly actorId: string; readonly postId: string; readonly caseId: string }> {
    const actorId = await this.desk.account();
    const postId = await this.desk.post(actorId);
    return { actorId, postId, caseId: await this.report({ postId }) };
  }

  /** Claims and decides. */
  async decide(by: Seat, id: string, effects: readonly CaseEffect[]): Promise<void> {
    await by.post('cases/:id/claim', { id });
    const decision = { outcome: 'violation', effects, reason: 'spam' } as const;
    await by.post('cases/:id/decide', { id, ...decision });
  }

  /** Appeals against the newest decision of the case, as the person whom it is about. */
  async appeal(caseId: string): Promise<void> {
    const { state } = await readCase(this.desk.log, caseId);
    if (state.status === 'none') throw new Error(`there is no case ${caseId}`);
    const { decisionId = '' } = state.decisions.at(-1) ?? {};
    const filed = { actorId: state.subject.targetActorId, decisionId, appeal: 'They are lamps of my own.' };
    await this.desk.commands.execute(new AppealDecision(caseId, filed, metadata));
    await this.desk.follow();
  }

  async overturn(id: string): Promise<void> {
    await this.hedy.post('cases/:id/claim', { id });
    await this.hedy.post('cases/:id/appeal/overturn', { id, reason: 'it is no spam' });
  }

  /** A case that Grace decided, and whose decision was appealed. */
  async appealed(effects: readonly CaseEffect[] = ['restrict_post']) {
    const found = await this.newCase();
    await this.decide(this.grace, found.caseId, effects);
    await this.appeal(found.caseId);
    return found;
  }

  async overturned(effects?: readonly CaseEffect[]) {
    const found = await this.appealed(effects);
    await this.overturn(found.caseId);
    return found;
  }

  /** True: it is restricted or suspended. */
  async isHidden(subject: Subject): Promise<boolean> {
    const stream = 'postId' in subject ? streams.post(subject.postId) : streams.account(subject.actorId);
    return groundsOf(await this.desk.log.read(stream)).length > 0;
  }

  /** Starts a batch by this operator without a preview, and runs it. Returns its id. */
  async batch(kind: BatchKind, items: readonly string[], operatorId: string): Promise<string> {
    const batchId = randomUUID();
    const data = { batchId, kind, items: [...items], appId: undefined };
    await this.desk.commands.execute(
      new ChangeBatch({ type: 'batch.requested', data }, { ...metadata, operatorId }),
    );
    await this.runBatches();
    return batchId;
  }

  async undo(id: string): Promise<void> {
    await this.hedy.post('batches/:id/undo', { id, reason: 'it is no spam' });
    await this.runBatches();
  }

  async outcomeOf(id: string) {
    return (await this.hedy.get('batches/:id', { id })).applied;
  }

  private runBatches(): Promise<void> {
    return new RunOnce({ ...this.desk.services, lockUrl: '' }).work();
  }

  private async authorOf(postId: string): Promise<string> {
    const [created] = await this.desk.log.read(streams.post(postId));
    if (created?.event.type !== 'post.created') throw new Error(`there is no post ${postId}`);
    return created.event.data.authorActorId;
  }
}

/** Works without the lock, as the only process. */
class RunOnce extends Batches {
  override work(): Promise<void> {
    return super.work();
  }
}

/** Opens a desk for each test of the file. */
export function caseDesks(): () => CaseDesk {
  let postgres: TestPostgres;
  let cases: CaseDesk;
  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    cases = await CaseDesk.open(postgres);
  });
  afterEach(() => cases?.desk.close());
  return () => cases;
}
