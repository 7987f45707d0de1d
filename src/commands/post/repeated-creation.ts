/**
 * The creation of a post whose stream exists already: the intent was repeated, or a recovered log lost the creation and
 * kept later events of the post.
 */
import { sleep } from '../../base/support/sleep.js';
import { LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { Append, EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { earlierOutcome } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import { postOutcomeOf, postOfEvents } from './post-outcome.js';
import type { PostOutcome } from './post-outcome.js';

const DURABLE_WAIT = { tries: 40, pauseMs: 50 };

export interface PostCreation {
  readonly stream: string;
  readonly intent: Intent;
  readonly payloadHash: string;
}

/** As {@link outcomeIn}, once the stream has the event that an append met. Without an outcome, throws `reason`. */
export async function replayCreation(
  log: EventLog,
  creation: PostCreation,
  reason: WrongExpectedRevision,
): Promise<PostOutcome> {
  const outcome = await outcomeIn(await readUntilDurable(log, creation.stream, reason), log, creation);
  if (!outcome) throw reason;
  return outcome;
}

export async function findCreation(log: EventLog, creation: PostCreation): Promise<PostOutcome | undefined> {
  return outcomeIn(await log.read(creation.stream), log, creation);
}

/**
 * Returns the outcome of the intent's earlier execution; undefined: the stream has none. With another payload, throws
 * `intent_conflict`.
 */
async function outcomeIn(
  recorded: readonly Recorded[],
  log: EventLog,
  { intent, payloadHash }: PostCreation,
): Promise<PostOutcome | undefined> {
  const newest = recorded.at(-1);
  if (!newest) return undefined;
  const created = recorded.findIndex(({ event }) => event.type === 'post.created');
  const now = postOfEvents(recorded);
  // The deletion exists and the creation does not: a recovered log lost the creation. The post id derives from this
  // intent alone.
  const isLost = created === -1 && now.status === 'deleted';
  if (!isLost && !earlierOutcome(recorded, intent, payloadHash)) return undefined;
  const post = postOutcomeOf(isLost ? now : postOfEvents(recorded.slice(0, created + 1)), now);
  if (!post) return undefined;
  // Witnessed first: an answer of deletion must hold for good.
  await log.ensureWitnessed(recorded);
  return { post, position: newest.position };
}

/**
 * Appends a post that a recovered log has lost behind the post's restrictions that it still has; they stay in force.
 * Undefined: the post exists.
 */
export async function recreateLostPost(
  log: EventLog,
  id: string,
  append: Omit<Append, 'expected'>,
  reason: WrongExpectedRevision,
): Promise<PostOutcome | undefined> {
  const recorded = await readUntilDurable(log, append.stream, reason);
  const [post, newest] = [postOfEvents(recorded), recorded.at(-1)];
  if (post.status !== 'absent' || !newest) return undefined;
  await log.ensureWitnessed(recorded);
  try {
    const { position } = await log.append({ ...append, expected: newest.revision });
    return { post: { id, revision: 1, status: post.isRestricted ? 'restricted' : 'published' }, position };
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return undefined;
    throw error;
  }
}

/**
 * Retries while nothing is read: the append may have been refused because of a concurrent one, which reads do not show
 * before it is durable.
 */
async function readUntilDurable(
  log: EventLog,
  stream: string,
  reason: WrongExpectedRevision,
): Promise<readonly Recorded[]> {
  for (let tries = 1; ; tries++) {
    const recorded = await log.read(stream);
    if (recorded.length > 0) return recorded;
    if (tries === DURABLE_WAIT.tries)
      throw new LogUnavailable('The same intent is still being executed; retry in a moment.', {
        cause: reason,
      });
    await sleep(DURABLE_WAIT.pauseMs);
  }
}
