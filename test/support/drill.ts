import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { runPlaza } from './command.js';
import type { Ended } from './command.js';
import type { TestNetwork } from './network.js';

/** What a drill does to a network: copies it, destroys parts of it for real, puts them back. */

/** A directory of its own beside the network's data. Remove it. */
export function newBackupDir({ dataDir }: Pick<TestNetwork, 'dataDir'>): string {
  return mkdtempSync(join(dirname(dataDir), 'plaza-backup-'));
}

/** `plaza backup DIR` of a network that runs. */
export function backUp(network: Pick<TestNetwork, 'env'>, dir: string, ...args: string[]): Promise<Ended> {
  return runPlaza(['backup', dir, '--reason', 'drill', '--json', ...args], network.env);
}

/** `plaza restore DIR` into the data of a network that does not run. */
export function restore(dataDir: string, dir: string, ...args: string[]): Promise<Ended> {
  return runPlaza(['restore', dir, '--reason', 'drill', '--json', ...args], { DATA_DIR: dataDir });
}

/** Of a network that runs: its log as it is on disk at this moment, which is what a crash would leave. */
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

/** Of a network that does not run: its embedded event store, gone with all that is in it. */
export function destroyLog({ dataDir }: Pick<TestNetwork, 'dataDir'>): void {
  rmSync(join(dataDir, 'eventstore'), { recursive: true });
}

/** Of a network that runs: every read model, and what is published. Stop it before it notices. */
export async function destroyReadStore(network: Pick<TestNetwork, 'env'>): Promise<void> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string }>(
      `SELECT nspname AS schema FROM pg_namespace WHERE nspname LIKE 'inc\\_%'`,
    );
    for (const { schema } of rows) await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.query(
      'TRUNCATE recovery.incarnation, recovery.publication, recovery.checkpoint, audit.event, audit.about',
    );
  } finally {
    await client.end();
  }
}
