import type { Pool } from 'pg';
import { auditPosition } from '../../../projections/audit/audit.read-model.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { sleep } from '../../support/sleep.js';

/**
 * How far the audit is. `position`, `upTo`: of the newest applied event; `upTo` in Unix milliseconds. `lag`: bytes of
 * log that it must still read; null: the log does not answer, or is not the applied one.
 */
export interface AuditProgress {
  readonly position: number | null;
  readonly upTo: number | null;
  readonly lag: number | null;
}

const POLL_INTERVAL_MS = 50;

export async function auditProgress(pool: Pool, log: EventLog): Promise<AuditProgress> {
  const [applied, head] = await Promise.all([auditPosition(pool), headOf(log)]);
  const position = applied?.position ?? 0n;
  return {
    position: applied ? Number(applied.position) : null,
    upTo: applied?.at ?? null,
    lag: head === undefined || head < position ? null : Number(head - position),
  };
}

/** Waits until the audit has every event that the log has now, for `timeoutMs` at most. */
export async function waitForAudit(pool: Pool, log: EventLog, timeoutMs: number): Promise<void> {
  const head = await headOf(log);
  const deadline = performance.now() + timeoutMs;
  if (head === undefined) return;
  for (;;) {
    const applied = await auditPosition(pool);
    if ((applied?.position ?? 0n) >= head || performance.now() > deadline) return;
    await sleep(POLL_INTERVAL_MS);
  }
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
