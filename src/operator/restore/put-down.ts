import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PutDownRestore } from '../../commands/put-down-restore.js';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../config/logger.js';
import { forgetRestored, readRestored } from '../../launch/restore-state.js';

/** What was restored into `DATA_DIR` while nothing ran becomes an event now that there is a log to put it down in. */
export async function putDownRestored(app: INestApplicationContext): Promise<void> {
  const { dataDir } = app.get(Config);
  const restored = readRestored(dataDir);
  if (!restored) return;
  const { operator, reason, ...what } = restored;
  const metadata = { requestId: randomUUID(), operator, reason };
  try {
    await app.get(CommandBus).execute(new PutDownRestore(what, metadata));
    forgetRestored(dataDir);
  } catch (error) {
    // What was restored serves all the same.
    app
      .get<Logger>(LOGGER)
      .error({ err: error }, 'the restore is not put down in the log; the next start tries');
  }
}
