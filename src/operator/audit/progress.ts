import type { Pool } from 'pg';
import { z } from 'zod';
import { auditPosition } from '../../../projections/audit/audit.read-model.js';
import { auditGroup } from '../../../projections/audit/audit.projection.js';
import type { PositionListener } from '../../base/store/position-listener.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';

/**
 * The progress of the audit through the log. `position`, `upTo`: of the newest applied event; `upTo` in Unix milliseconds. `lag`: bytes of
 * log that it must still read; null: the log does not answer, or is not the applied one.
 */
export const shownProgress = z.strictObject({
  position: z.number().nullable(),
  upTo: z.number().nullable(),
  lag: z.number().nullable(),
});

export type AuditProgress = z.infer<typeof shownProgress>;

/** `head`: compares with this position of the log instead of its newest one. */
export async function auditProgress(pool: Pool, log: EventLog, head?: bigint): Promise<AuditProgress> {
  const [applied, newest] = await Promise.all([auditPosition(pool), head ?? headOf(log)]);
  const position = applied?.position ?? 0n;
  return {
    position: applied ? Number(applied.position) : null,
    upTo: applied?.at ?? null,
    lag: lagOf(position, newest, head !== undefined),
  };
}

function lagOf(position: bigint, head: bigint | undefined, isPast: boolean): number | null {
  if (head === undefined) return null;
  if (head < position) return isPast ? 0 : null;
  return Number(head - position);
}

/**
 * Waits until the audit has every event that the log has now, for `timeoutMs` at most. Returns the position of the
 * newest of them; undefined: the log does not answer.
 */
export async function waitForAudit(
  { log, positions }: { readonly log: EventLog; readonly positions: PositionListener },
  timeoutMs: number,
): Promise<bigint | undefined> {
  const head = await headOf(log);
  if (head !== undefined) await positions.waitForGroup(auditGroup.name, head, timeoutMs);
  return head;
}

/** Undefined: the log does not answer. An audit can be read without it. */
async function headOf(log: EventLog): Promise<bigint | undefined> {
  try {
    return (await log.head()) ?? 0n;
  } catch (error) {
    if (error instanceof LogUnavailable) return undefined;
    throw error;
  }
}
