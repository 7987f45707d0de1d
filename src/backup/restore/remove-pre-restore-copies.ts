import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { isReady } from '../../launch/readiness.js';
import { allPreRestoreCopies, restoringLogIn } from './restore-state.js';

const LOOK_AGAIN_MS = 1_000;

/**
 * Removes what restores kept aside, once the network answers that it is ready: until then, in quarantine above all,
 * somebody may want it back. `urls`: of the databases, by variable.
 */
export async function removePreRestoreCopies(options: {
  readonly dataDir: string;
  readonly port: number;
  readonly urls: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { dataDir, port, urls, log, signal } = options;
  if (allPreRestoreCopies(dataDir).length === 0) return;
  while (!(await isReady(port))) {
    await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
  try {
    for (const kept of allPreRestoreCopies(dataDir)) {
      for (const [variable, schemas] of Object.entries(kept.databases)) await drop(urls[variable], schemas);
      // What a restore had laid out that was killed; then what it kept, and last where that is noted.
      for (const directory of [restoringLogIn(dataDir), kept.log, kept.directory])
        rmSync(directory, { recursive: true, force: true });
      log.info(
        { directory: kept.directory },
        'the network is ready: removed what the restore had kept aside',
      );
    }
  } catch (error) {
    log.error({ err: error }, 'what a restore kept aside could not be removed; the next start tries again');
  }
}

async function drop(connectionString: string | undefined, schemas: readonly string[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const schema of schemas)
      await client.query(`DROP SCHEMA IF EXISTS ${client.escapeIdentifier(schema)} CASCADE`);
  } finally {
    await client.end();
  }
}
