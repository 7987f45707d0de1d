import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RecordRestore } from '../../commands/network/record-restore.js';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { LOGGER } from '../../config/logger.js';
import { forgetRestored, readRestored } from './restore-state.js';

/**
 * What was restored into `DATA_DIR` while nothing ran becomes events now that there is a log to put it down in. All of it is
 * kept until all of it is there: each is put down once, however often it is tried.
 */
export async function putDownRestored(app: INestApplicationContext): Promise<void> {
  const { dataDir } = app.get(Config);
  const commands = app.get(CommandBus);
  try {
    for (const { operator, reason, ...what } of readRestored(dataDir)) {
      const metadata = { requestId: randomUUID(), operator, reason };
      await commands.execute(new RecordRestore(what, metadata));
    }
    forgetRestored(dataDir);
  } catch (error) {
    // What was restored serves all the same.
    app
      .get<Logger>(LOGGER)
      .error({ err: error }, 'not every restore is put down in the log; the next start tries');
  }
}
