import { rmSync } from 'node:fs';
import type { Logger } from 'pino';
import { isReady } from '../../../launch/readiness.js';
import { StoreClient } from '../../../base/store/store-client.js';
import { sleep } from '../../../base/support/sleep.js';
import { allPreRestoreCopies, restoringLogIn } from './restore-state.js';

const POLL_INTERVAL_MS = 1_000;

/**
 * Removes the pre-restore copies once `/readyz` answers ok. Until then, above all in quarantine, an operator may need
 * them. `urls`: connection strings by the name of their environment variable.
 */
export async function removePreRestoreCopies(options: {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly urls: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { dataDir, urls, log, signal } = options;
  if (allPreRestoreCopies(dataDir).length === 0) return;
  while (!(await isReady(options))) {
    await sleep(POLL_INTERVAL_MS, signal);
    if (signal.aborted) return;
  }
  try {
    for (const copy of allPreRestoreCopies(dataDir)) {
      for (const [variable, schemas] of Object.entries(copy.databases)) await drop(urls[variable], schemas);
      for (const directory of [restoringLogIn(dataDir), copy.log, copy.directory])
        rmSync(directory, { recursive: true, force: true });
      log.info(
        { directory: copy.directory },
        'network ready after a restore; removed the copy of the data that the restore replaced',
      );
    }
  } catch (error) {
    log.error({ err: error }, 'copies of data that a restore replaced not removed; the next start retries');
  }
}

async function drop(connectionString: string | undefined, schemas: readonly string[]): Promise<void> {
  const client = new StoreClient({ connectionString });
  await client.connect();
  try {
    for (const schema of schemas)
      await client.query(`DROP SCHEMA IF EXISTS ${client.escapeIdentifier(schema)} CASCADE`);
  } finally {
    await client.end();
  }
}
