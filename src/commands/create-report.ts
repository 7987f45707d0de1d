import { Command } from '@nestjs/cqrs';
import { createReport, mayReport } from '../domain/report/report.js';
import { aggregates, readState } from './support/aggregates.js';
import { handles } from './support/handles.js';
import { createdId } from './support/intent.js';
import type { Intent } from './support/intent.js';
import { OtherActors } from './support/other-actors.js';
import type { WriteSide } from './support/write-side.js';

export interface ReportInput {
  readonly postId?: string | undefined;
  readonly actorId?: string | undefined;
  readonly reason: string;
  readonly text?: string | undefined;
}

export interface ReportOutcome {
  readonly report: { readonly id: string; readonly status: 'received' };
  readonly position: bigint;
}

/**
 * Reports a post or an actor to the operators. Idempotent by its intent.
 * @throws {Refusal} and errors of log, vault and store.
 */
export class CreateReport extends Command<ReportOutcome> {
  constructor(
    readonly intent: Intent,
    readonly complaint: ReportInput,
  ) {
    super();
  }
}

export const createReportHandler = handles(
  CreateReport,
  { others: OtherActors },
  async ({ intent, complaint }, write, { others }) => {
    const { postId, actorId, reason, text } = complaint;
    const { actorId: reporterActorId, appId } = intent;
    const reportId = createdId('report', intent);
    const payload = { postId, actorId, reason, text };
    const draft = { ...payload, reportId, reporterActorId, appId, at: write.now() };
    const { position } = await write.intent(payload, {
      ...aggregates.report(reportId),
      intent,
      decide: async () => createReport(draft, await targetOf(reporterActorId, complaint, write, others)),
    });
    return { report: { id: reportId, status: 'received' }, position };
  },
);

/**
 * The reported actor, or the author of the reported post; undefined if the reporter may not report the actor or
 * cannot see the post.
 */
async function targetOf(
  reporterActorId: string,
  { postId, actorId }: ReportInput,
  write: WriteSide,
  others: OtherActors,
): Promise<string | undefined> {
  const targetActorId = postId === undefined ? actorId : await authorOf(postId, write);
  if (targetActorId === undefined || targetActorId === reporterActorId) return targetActorId;
  const [isActive, { blockedBy }] = await Promise.all([
    others.isActive(targetActorId),
    others.pairOf(reporterActorId, targetActorId),
  ]);
  return isActive && mayReport(reporterActorId, targetActorId, blockedBy) ? targetActorId : undefined;
}

async function authorOf(postId: string, { log }: WriteSide): Promise<string | undefined> {
  const post = await readState(log, aggregates.post(postId));
  return post.status === 'published' ? post.authorActorId : undefined;
}
