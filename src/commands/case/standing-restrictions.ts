import type { CaseSubject } from '../../domain/case/events.js';
import { isRestricting } from '../../domain/batch/item.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { isOverturned } from './overturned.js';

type Past = readonly Recorded[];

const lifts: ReadonlySet<string> = new Set(['post.unrestricted', 'account.reinstated']);

/** The restrictions of a post or an account since the last one that was lifted. */
export function restrictionsInForce(past: Past): Past {
  const lifted = past.findLastIndex(({ event }) => lifts.has(event.type));
  return past.slice(lifted + 1).filter(({ event }) => isRestricting(event.type));
}

/** Those in force that are not of an overturned decision or an undone batch. @throws {LogUnavailable} */
export async function standingRestrictions(log: EventLog, past: Past): Promise<Past> {
  const standing: Recorded[] = [];
  for (const each of restrictionsInForce(past)) if (!(await isOverturned(log, each))) standing.push(each);
  return standing;
}

/** A restriction of a case's post or account. `cause`: the stream of its case or batch; null: an act by itself. */
export interface HidingRestriction {
  readonly of: 'post' | 'account';
  readonly at: number;
  readonly operatorId: string | null;
  readonly cause: string | null;
  readonly decisionId: string | null;
}

/** Returns what hides the post of a case, or suspends its account; nothing hides a deleted post. @throws {LogUnavailable} */
export async function hidingRestrictions(
  log: EventLog,
  { postId, targetActorId }: CaseSubject,
): Promise<readonly HidingRestriction[]> {
  const [post, account] = await Promise.all([
    postId === undefined ? [] : log.read(streams.post(postId)),
    log.read(streams.account(targetActorId)),
  ]);
  if (post.some(({ event }) => event.type === 'post.deleted')) return [];
  const [ofPost, ofAccount] = await Promise.all([
    standingRestrictions(log, post),
    standingRestrictions(log, account),
  ]);
  return [...ofPost.map(hiding('post')), ...ofAccount.map(hiding('account'))];
}

const hiding =
  (of: HidingRestriction['of']) =>
  ({ event, metadata }: Recorded): HidingRestriction => {
    const { operatorId = null, cause = null, decisionId = null } = metadata;
    return { of, at: event.data.at, operatorId, cause, decisionId };
  };
