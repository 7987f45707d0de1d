import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import type { Group } from '../../../projections/runner/projection.js';
import { fixedTarget } from '../../../projections/runner/target.js';
import type { Target } from '../../../projections/runner/target.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoredEvent } from '../../log/registry.js';
import { quarantineSetBack } from '../set-back.js';

const LOOK_AGAIN_MS = 100;

export interface DerivedFrom {
  readonly log: EventLog;
  /** Of the events that the published read models come from. */
  readonly types: readonly StoredEvent['type'][];
}

/**
 * The target of the authority group. That it has reached the end of the log ends what a restore began (see
 * forgetAuthority): once it is known whether what is published shows the same log, since everybody acts by both.
 */
export async function authorityTarget(
  group: Group,
  { log, types }: DerivedFrom,
  client: ClientBase,
  signal: AbortSignal,
): Promise<Target> {
  const target = await fixedTarget(client, group, 'authority');
  let isSaid = false;
  return {
    ...target,
    async caughtUp() {
      if (isSaid) return;
      const { rowCount } = await client.query('SELECT FROM authority.deriving');
      if (rowCount !== 0) await quarantineSetBack(client, log, types, signal);
      await client.query('DELETE FROM authority.deriving');
      isSaid = true;
    },
  };
}

/** Waits until who may act was derived from a restored log: before that, what was taken away might still be there. */
export async function untilDerived(pool: Pool, logger: Logger): Promise<void> {
  for (let waited = false; ; waited = true) {
    const { rowCount } = await pool.query('SELECT FROM authority.deriving');
    if (rowCount === 0) return;
    if (!waited) logger.info('waiting until a worker has derived from the restored log who may act');
    await pause(LOOK_AGAIN_MS);
  }
}
