import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import { readManifest } from '../../src/recovery/backup/restore/checked-backup.js';
import { operatorClient } from '../support/operator-client.js';
import { allAuthorityTables, tablesOfPart } from '../../src/recovery/backup/format/tables.js';
import { environment, plaza } from '../support/command.js';
import { backUp, newBackupDir } from '../support/drill.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let dir: string;
let database: Client;
/** Outside the transaction, in which pg_stat_activity never changes. */
let watcher: Client;

beforeAll(async () => {
  network = await lentNetwork();
  dir = newBackupDir(network);
  database = await connected('DATABASE_URL');
  watcher = await connected('DATABASE_URL');
});

afterAll(async () => {
  await database?.end();
  await watcher?.end();
  await network?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function connected(variable: string): Promise<Client> {
  const client = new Client({ connectionString: network.env[variable] });
  await client.connect();
  return client;
}

async function isWaiting(): Promise<boolean> {
  const { rowCount } = await watcher.query(
    `SELECT FROM pg_stat_activity WHERE application_name = 'plaza-backup' AND wait_event_type = 'Lock'`,
  );
  return rowCount === 1;
}

/** Starts a backup that waits after the log part, and runs `act` there. Returns the result of the command. */
async function interruptAtAuthority(
  act: (backup: number) => unknown,
): Promise<{ code: number | null; stderr: string }> {
  await database.query('BEGIN; LOCK TABLE authority.credential IN ACCESS EXCLUSIVE MODE');
  const backup = spawn(process.execPath, [plaza, 'backup', dir], { env: environment(network.env) });
  let stderr = '';
  backup.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await until(isWaiting);
  await act(backup.pid ?? 0);
  const [code] = (await once(backup, 'close')) as [number | null];
  await database.query('ROLLBACK');
  return { code, stderr };
}

describe('an interrupted backup', () => {
  it('is not accepted as a backup after its command was killed', async () => {
    const { code } = await interruptAtAuthority((pid) => process.kill(pid, 'SIGKILL'));
    expect(code).toBeNull();
    expect(readdirSync(dir).sort()).toEqual(['lock.unfinished', 'log', 'manifest.json.unfinished']);
    await expect(readManifest(dir)).rejects.toThrow(/is no backup, or one that was not finished/);
  });

  it('is left alone by another command with the same directory', async () => {
    let other: Awaited<ReturnType<typeof backUp>> | undefined;
    const { code } = await interruptAtAuthority(async (pid) => {
      other = await backUp(network, dir);
      process.kill(pid, 'SIGKILL');
    });
    expect(code).toBeNull();
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another backup is being written'),
    });
    expect(readdirSync(dir)).toContain('log');
  });

  it('fails with a message when the network is killed, and is not accepted as a backup', async () => {
    const { code, stderr } = await interruptAtAuthority(() =>
      process.kill(network.pids().api ?? 0, 'SIGKILL'),
    );
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(/ runs, but its API does not answer at /),
    ]);
    expect(existsSync(join(dir, 'manifest.json'))).toBe(false);
  });

  it('is taken again by the same command', async () => {
    const api = operatorClient(readConfig(network.env));
    await until(() =>
      api.get('projections').then(
        () => true,
        () => false,
      ),
    );
    expect(await backUp(network, dir)).toMatchObject({ code: 0 });
    expect(readdirSync(dir).sort()).toEqual(['authority', 'log', 'manifest.json', 'vault', 'witness']);
  });
});

describe('the parts of a backup', () => {
  it.each([
    ['DATABASE_URL', 'authority', allAuthorityTables],
    ['VAULT_DATABASE_URL', 'public', tablesOfPart.vault],
    ['WITNESS_DATABASE_URL', 'public', tablesOfPart.witness],
  ] as const)(
    'contain every table of %s, schema %s, or say that the log has it',
    async (variable, schema, known) => {
      const client = await connected(variable);
      const { rows } = await client.query<{ name: string }>(
        `SELECT schemaname || '.' || tablename AS name FROM pg_tables
      WHERE schemaname = $1 AND tablename <> 'plaza_migration' ORDER BY 1`,
        [schema],
      );
      await client.end();
      expect(rows.map(({ name }) => name)).toEqual([...known].sort());
    },
  );
});
