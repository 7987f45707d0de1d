import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { AcknowledgedWrites } from './acknowledged-writes.js';
import { runPlaza } from './command.js';
import type { CommandResult } from './command.js';
import type { TestNetwork } from './network.js';

/** Steps of a disaster recovery drill: copies, destroys and restores the stores of a network. */

/** A new directory beside the network's data. The caller removes it. */
export function newBackupDir({ dataDir }: Pick<TestNetwork, 'dataDir'>): string {
  return mkdtempSync(join(dirname(dataDir), 'plaza-backup-'));
}

/** Runs `plaza backup DIR` on a running network. */
export function backUp(
  network: Pick<TestNetwork, 'env'>,
  dir: string,
  ...args: string[]
): Promise<CommandResult> {
  return runPlaza(['backup', dir, '--reason', 'drill', '--json', ...args], network.env);
}

/** Runs `plaza restore DIR` into the data directory of a stopped network. */
export function restore(dataDir: string, dir: string, ...args: string[]): Promise<CommandResult> {
  return runPlaza(['restore', dir, '--reason', 'drill', '--json', ...args], { DATA_DIR: dataDir });
}

/** Copies the log of a running network as a crash would leave it. */
export function copyLog(network: Pick<TestNetwork, 'dataDir' | 'pids'>, to: string): void {
  const { eventStore } = network.pids();
  if (eventStore === undefined) throw new Error('the network has no event store of its own');
  process.kill(eventStore, 'SIGSTOP');
  try {
    cpSync(join(network.dataDir, 'eventstore'), to, { recursive: true });
  } finally {
    process.kill(eventStore, 'SIGCONT');
  }
}

/** Removes the embedded event store of a stopped network. */
export function destroyLog({ dataDir }: Pick<TestNetwork, 'dataDir'>): void {
  rmSync(join(dataDir, 'eventstore'), { recursive: true });
}

/** Replaces the log of a stopped network by a copy. Reads do not wait for writes that the copy may lack. */
export function replaceLog(network: Pick<TestNetwork, 'dataDir' | 'baseUrl'>, copy: string): void {
  destroyLog(network);
  cpSync(copy, join(network.dataDir, 'eventstore'), { recursive: true });
  AcknowledgedWrites.of(network.baseUrl).forget();
}

/** Drops all read models and the publication of a running network. Stop the network before it notices. */
export async function destroyReadStore(network: Pick<TestNetwork, 'env'>): Promise<void> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string }>(
      `SELECT nspname AS schema FROM pg_namespace WHERE nspname LIKE 'inc\\_%'`,
    );
    for (const { schema } of rows) await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.query(
      `TRUNCATE recovery.as_of, recovery.incarnation, recovery.publication, recovery.checkpoint, audit.event, audit.about,
        audit.app_hour, audit.app_actor_hour, audit.app_actor, cases.summary, cases.report`,
    );
  } finally {
    await client.end();
  }
}
