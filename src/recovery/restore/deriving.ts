import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import type { Target } from '../../../projections/runner/target.js';

const LOOK_AGAIN_MS = 100;

/**
 * The target of the authority group: that it has reached the end of the log ends what a restore began (see
 * forgetAuthority). `compare`: before anybody acts by what was derived, whether what is published shows this log.
 */
export function untilCaughtUp(target: Target, compare: (client: ClientBase) => Promise<void>): Target {
  let isSaid = false;
  return {
    ...target,
    async caughtUp(client) {
      await target.caughtUp(client);
      if (isSaid) return;
      const { rowCount } = await client.query('SELECT FROM authority.deriving');
      if (rowCount !== 0) await compare(client);
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
