import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PutDownRestore } from '../../commands/put-down-restore.js';
import { Config } from '../../config/config.js';
import { forgetRestored, readRestored } from '../../launch/restore-state.js';

/** What was restored into `DATA_DIR` while nothing ran becomes an event now that there is a log to put it down in. */
export async function putDownRestored(app: INestApplicationContext): Promise<void> {
  const { dataDir } = app.get(Config);
  const restored = readRestored(dataDir);
  if (!restored) return;
  const { operator, reason, ...what } = restored;
  await app.get(CommandBus).execute(new PutDownRestore(what, { requestId: randomUUID(), operator, reason }));
  forgetRestored(dataDir);
}
