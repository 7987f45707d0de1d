import { postText } from '../post/text.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { ReportCreated } from './events.js';

/** Why something is reported: a closed set, so that reports can be counted and sorted. */
export const reportReasons = ['spam', 'harassment', 'illegal', 'impersonation', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];

export type Report = { readonly status: 'absent' } | { readonly status: 'received'; readonly id: string };

export const noReport: Report = { status: 'absent' };

export function evolveReport(_report: Report, { data }: ReportCreated): Report {
  return { status: 'received', id: data.reportId };
}

export interface ReportDraft {
  readonly reportId: string;
  readonly reporterActorId: string;
  readonly appId: string;
  /** Either this or `actorId`. */
  readonly postId: string | undefined;
  readonly actorId: string | undefined;
  readonly reason: string;
  /** Undefined or blank: nothing more to say. */
  readonly text: string | undefined;
  readonly at: number;
}

/** `targetActorId`: the reported actor, or the reported post's author; undefined: it is not there for the reporter. */
export function createReport(draft: ReportDraft, targetActorId: string | undefined): Decision<ReportCreated> {
  const { postId, actorId, reason, text: given = '', ...facts } = draft;
  if ((postId === undefined) === (actorId === undefined))
    return new Refusal('invalid_report', 'Report either a post or an actor: send postId or actorId.');
  if (!isReason(reason))
    return new Refusal('invalid_report', `reason must be one of ${reportReasons.join(', ')}.`);
  const text = given.trim() === '' ? '' : postText(given);
  if (text instanceof Refusal) return text;
  if (targetActorId === undefined)
    return postId === undefined
      ? new Refusal('not_found', 'There is no such actor for you.')
      : new Refusal('post_unavailable', 'There is no such post for you.');
  if (targetActorId === facts.reporterActorId)
    return new Refusal('invalid_report', 'You cannot report yourself, nor a post of your own.');
  return [{ type: 'report.created', data: { ...facts, postId, targetActorId, reason, text } }];
}

/**
 * Whether somebody may report what is another's: also across a block of their own, since people block first and report
 * then. Where only the other one has blocked them, all is as if it were not there, as in every operation.
 */
export function mayReport(
  reporterActorId: string,
  targetActorId: string,
  blockedBy: readonly string[],
): boolean {
  return blockedBy.includes(reporterActorId) || !blockedBy.includes(targetActorId);
}

const isReason = (text: string): text is ReportReason => (reportReasons as readonly string[]).includes(text);
