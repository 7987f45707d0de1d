import { casesAbout, reportsBy } from '../../../../projections/cases/cases.read-model.js';
import { readCase } from '../../../commands/support/case-command.js';
import { hidingRestrictions } from '../../../commands/support/grounds.js';
import type { RecordedCase } from '../../../commands/support/case-command.js';
import type { CaseDecision } from '../../../domain/case/case.js';
import { LogUnavailable } from '../../../log/event-log.js';
import type { EventLog } from '../../../log/event-log.js';
import { streams } from '../../../log/streams.js';
import type { Postgres } from '../../../base/store/postgres.js';
import type { OwnCasesView, OwnDecision } from '../pages/own-cases.js';

const SHOWN = 20;

/** A person's own part of the cases: decisions about them, and the outcomes of their reports. */
export class OwnCases {
  constructor(
    private readonly postgres: Postgres,
    private readonly log: EventLog,
  ) {}

  async of(actorId: string): Promise<OwnCasesView> {
    const [decisions, reports] = await Promise.all([
      this.decisionsAbout(actorId),
      reportsBy(this.postgres.pool, actorId, SHOWN),
    ]);
    return { decisions, reports };
  }

  /** From the log, so that an appeal shows at once. Undefined: the log does not answer. */
  private async decisionsAbout(actorId: string): Promise<readonly OwnDecision[] | undefined> {
    const caseIds = await casesAbout(this.postgres.pool, actorId, SHOWN);
    try {
      const found = await Promise.all(caseIds.map((caseId) => this.decisionsOf(caseId)));
      return found
        .flat()
        .toSorted((a, b) => b.at - a.at)
        .slice(0, SHOWN);
    } catch (error) {
      if (error instanceof LogUnavailable) return undefined;
      throw error;
    }
  }

  private async decisionsOf(caseId: string): Promise<readonly OwnDecision[]> {
    const recorded = await readCase(this.log, caseId);
    const { state } = recorded;
    if (state.status === 'none') return [];
    const decisions = state.decisions.filter(({ outcome }) => outcome === 'violation');
    const { postId } = state.subject;
    if (decisions.length === 0) return [];
    const post = postId === undefined ? undefined : await this.textOf(postId);
    const isOverturned = decisions.some(({ appeal }) => appeal === 'overturned');
    const hidden = isOverturned ? await hidingRestrictions(this.log, state.subject) : [];
    const hiding = hidden.map(({ of, at, decisionId }) => ({ of, at, isDecision: decisionId !== null }));
    return decisions.map((decision) => ownDecision(recorded, decision, { caseId, post, hiding }));
  }

  private async textOf(postId: string): Promise<string | undefined> {
    const texts = (await this.log.read(streams.post(postId))).flatMap(({ event }) =>
      event.type === 'post.created' || event.type === 'post.edited' ? [event.data.text] : [],
    );
    return texts.at(-1);
  }
}

function ownDecision(
  { events }: RecordedCase,
  { decisionId, effects, appeal, execution }: CaseDecision,
  about: Pick<OwnDecision, 'caseId' | 'post' | 'hiding'>,
): OwnDecision {
  const texts = { at: 0, notice: '', appealText: undefined as string | undefined, ruling: '' };
  for (const { event } of events) {
    const { type, data } = event;
    if (!('decisionId' in data) || data.decisionId !== decisionId) continue;
    if (type === 'case.decided') Object.assign(texts, { at: data.at, notice: data.notice });
    else if (type === 'case.appealed') texts.appealText = data.appeal;
    else if (type === 'case.appeal_upheld' || type === 'case.appeal_overturned') texts.ruling = data.notice;
  }
  return { ...about, decisionId, effects, appeal, isBeingUndone: execution === 'undoing', ...texts };
}
