import { postText } from '../post/text.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { ReportCreated } from './events.js';
import { reportReasons } from './report-reasons.js';
import type { ReportReason } from './report-reasons.js';

export type Report = { readonly status: 'absent' } | { readonly status: 'received'; readonly id: string };

export const noReport: Report = { status: 'absent' };

export function evolveReport(_report: Report, { data }: ReportCreated): Report {
  return { status: 'received', id: data.reportId };
}

export interface ReportDraft {
  readonly reportId: string;
  readonly reporterActorId: string;
  readonly appId: string;
  readonly postId: string | undefined;
  readonly actorId: string | undefined;
  readonly reason: string;
  readonly text: string | undefined;
  readonly at: number;
}

export function createReport(draft: ReportDraft, targetActorId: string | undefined): Decision<ReportCreated> {
  const { postId, actorId, reason, text: input = '', ...details } = draft;
  if ((postId === undefined) === (actorId === undefined))
    return new Refusal('invalid_report', 'Report either a post or an actor: send postId or actorId.');
  if (!isReason(reason))
    return new Refusal('invalid_report', `reason must be one of ${reportReasons.join(', ')}.`);
  const text = input.trim() === '' ? '' : postText(input);
  if (text instanceof Refusal) return text;
  if (targetActorId === undefined)
    return postId === undefined
      ? new Refusal('not_found', 'This actor does not exist or is not available to you.')
      : new Refusal('post_unavailable', 'This post does not exist or is not available to you.');
  if (targetActorId === details.reporterActorId)
    return new Refusal('invalid_report', 'You cannot report yourself, nor a post of your own.');
  return [{ type: 'report.created', data: { ...details, postId, targetActorId, reason, text } }];
}

/**
 * True if the reporter may report the target. A block by the reporter is no obstacle: people block first and report
 * then. A block by the target alone hides the target, as in every operation.
 */
export function mayReport(
  reporterActorId: string,
  targetActorId: string,
  blockedBy: readonly string[],
): boolean {
  return blockedBy.includes(reporterActorId) || !blockedBy.includes(targetActorId);
}

const isReason = (text: string): text is ReportReason => (reportReasons as readonly string[]).includes(text);
