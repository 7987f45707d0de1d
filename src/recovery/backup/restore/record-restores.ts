import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RecordRestore } from '../../../commands/network/network.js';
import type { Logger } from 'pino';
import { Config } from '../../../base/config/config.js';
import { LOGGER } from '../../../base/config/logger.js';
import { removeUnrecordedRestores, readUnrecordedRestores } from './restore-state.js';

/**
 * Appends an event to the log for each restore into `DATA_DIR`: while it ran, no process could append. The notes
 * about the restores stay until all events exist. Each event is appended once, however often this runs.
 */
export async function recordRestores(app: INestApplicationContext): Promise<void> {
  const { dataDir } = app.get(Config);
  const commands = app.get(CommandBus);
  try {
    for (const { operator, account: systemAccount, reason, ...restored } of readUnrecordedRestores(dataDir)) {
      // A restore runs without the network, which alone could check a token.
      const metadata = { requestId: randomUUID(), operatorId: 'offline', operator, systemAccount, reason };
      await commands.execute(new RecordRestore(restored, metadata));
    }
    removeUnrecordedRestores(dataDir);
  } catch (error) {
    app
      .get<Logger>(LOGGER)
      .error({ err: error }, 'restore of a backup not recorded in the event log; the next start retries');
  }
}
