import type { CaseSubject } from '../../domain/case/events.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { batchIdOf, caseIdOf, streams } from '../../log/streams.js';
import { readCase } from './case-command.js';

/** The recorded events of a post or of an account. */
type Past = readonly Recorded[];

const restrictions: ReadonlySet<string> = new Set(['post.restricted', 'account.suspended']);
const lifts: ReadonlySet<string> = new Set(['post.unrestricted', 'account.reinstated']);
const otherActs: ReadonlySet<string> = new Set([
  'post.deleted',
  'account.erased',
  'account.erasure_requested',
]);

export const isGround = ({ event: { type } }: Recorded): boolean => restrictions.has(type);

export const isLift = ({ event: { type } }: Recorded): boolean => lifts.has(type);

const isAct = (each: Recorded): boolean => isGround(each) || isLift(each) || otherActs.has(each.event.type);

/** Returns the restrictions of a post or an account since the last that was lifted: they keep it restricted. */
export function groundsOf(past: Past): Past {
  return past.slice(past.findLastIndex(isLift) + 1).filter(isGround);
}

/**
 * True if a restriction is a ground of its own beside the newest one: a decision on a case, which an appeal overturns by
 * itself, and an operator's act above a decision or a batch.
 */
export const addsGround = (past: Past, { decisionId }: EventMetadata): boolean =>
  decisionId !== undefined || groundsOf(past).at(-1)?.metadata.cause !== undefined;

/** Those that are not of an overturned decision or an undone batch. @throws {LogUnavailable} */
export async function standingGrounds(log: EventLog, past: Past): Promise<Past> {
  const standing: Recorded[] = [];
  for (const each of groundsOf(past))
    if (!(await isOverturned(log, each)) && !(await isUndone(log, each))) standing.push(each);
  return standing;
}

/** The newest act on a post or an account, without those of overturned decisions. @throws {LogUnavailable} */
export async function newestAct(log: EventLog, past: Past): Promise<Recorded | undefined> {
  for (const each of past.filter(isAct).reverse())
    if (!isGround(each) || !(await isOverturned(log, each))) return each;
  return undefined;
}

/** True if the restriction is of a decision that was overturned, or that a restored log has lost. */
async function isOverturned(
  log: EventLog,
  { metadata: { cause = '', decisionId } }: Recorded,
): Promise<boolean> {
  const caseId = caseIdOf(cause);
  if (caseId === undefined) return false;
  const { state } = await readCase(log, caseId);
  const decisions = state.status === 'none' ? [] : state.decisions;
  return !decisions.some((each) => each.decisionId === decisionId && each.appeal !== 'overturned');
}

/** An undone batch leaves its subject to a later decision. */
async function isUndone(log: EventLog, { metadata: { cause = '' } }: Recorded): Promise<boolean> {
  // Not the first event of a batch, which has all items.
  const after = batchIdOf(cause) === undefined ? [] : await log.read(cause, { from: 1n });
  return after.some(({ event }) => event.type === 'batch.undo_requested');
}

/** A ground of a case's post or account. `cause`: the stream of its case or batch; null: an act by itself. */
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
  const [ofPost, ofAccount] = await Promise.all([standingGrounds(log, post), standingGrounds(log, account)]);
  return [...ofPost.map(hiding('post')), ...ofAccount.map(hiding('account'))];
}

const hiding =
  (of: HidingRestriction['of']) =>
  ({ event, metadata }: Recorded): HidingRestriction => {
    const { operatorId = null, cause = null, decisionId = null } = metadata;
    return { of, at: event.data.at, operatorId, cause, decisionId };
  };
