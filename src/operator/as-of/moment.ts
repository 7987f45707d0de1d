import type { Pool } from 'pg';
import { followFrom } from '../../../projections/audit/follow.read-model.js';
import { eventAtOrBefore } from '../../../projections/audit/moment.read-model.js';
import type { Moment } from '../../background/as-of/builds.js';
import { HttpRefusal } from '../../server/errors.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import type { PositionListener } from '../../base/store/position-listener.js';
import { auditProgress, waitForAudit } from '../audit/progress.js';
import { beginOf, TIME_HELP } from '../audit/time.js';

/** Below the time in which the command line expects an answer. */
const WAIT_MS = 20_000;
const POSITION = /^\d{1,18}$/;

/**
 * Returns the newest event of the log at a time or a position. Of a time, no event before it in the log is later by its
 * clock.
 * @throws {HttpRefusal} it is none, lies ahead, or is before the first event. {@link LogUnavailable}
 */
export async function momentOf(
  stores: { readonly pool: Pool; readonly log: EventLog; readonly positions: PositionListener },
  text: string,
  now: number,
): Promise<Moment> {
  const { pool, log } = stores;
  const wanted = POSITION.test(text) ? BigInt(text) : undefined;
  const time = wanted === undefined ? beginOf(text, now) : undefined;
  if (wanted === undefined && time === undefined)
    throw new HttpRefusal('invalid_request', `at: must be ${TIME_HELP}, or a position of the log`);
  const head = await waitForAudit(stores, WAIT_MS);
  if (head === undefined) throw new LogUnavailable('the newest position of the log is unknown');
  if ((time ?? now) > now || (wanted ?? 0n) > head)
    throw new HttpRefusal('invalid_request', 'at: lies ahead of the log: name a moment in the past');
  const { position: reached, upTo } = await auditProgress(pool, log, head);
  const isCovered = wanted === undefined ? (upTo ?? -1) > (time ?? now) : BigInt(reached ?? -1) >= wanted;
  if (!isCovered && BigInt(reached ?? -1) < head)
    throw new HttpRefusal(
      'protected_read_unavailable',
      'The audit, which finds the position of a time, is being filled and has not reached it: see plaza projections status.',
    );
  const position = wanted ?? positionOf(await followFrom(pool, (time ?? now) + 1));
  const found = position === undefined ? undefined : await eventAtOrBefore(pool, position);
  if (!found) throw new HttpRefusal('invalid_request', 'at: is before the first event of the log');
  return found;
}

const positionOf = (cursor: Awaited<ReturnType<typeof followFrom>>): bigint | undefined =>
  cursor === 'none' ? undefined : cursor.position;
