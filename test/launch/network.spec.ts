/** @waits */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { lockDirectory } from '@plaza/event-store';
import { waitUntilGone, isAlive } from '../../src/launch/processes.js';
import { readRunFile } from '../../src/launch/run-file.js';
import { environment } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork({ RATE_LIMITS: 'off' }, newDataDir());
});

afterAll(async () => {
  await network.stop();
});

async function query(sql: string): Promise<unknown[]> {
  const client = new Client(network.env['DATABASE_URL']);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until a process other than `old` has this role. */
async function waitForReplacement(
  name: 'api' | 'worker' | 'eventStore' | 'postgres',
  old: number | undefined,
): Promise<void> {
  await until(() => network.pids()[name] !== old, 60_000);
}

/** Kills the API process, and returns the pid of its successor before that serves. */
async function killApiAndGetSuccessor(): Promise<number> {
  process.kill(network.pids().api!, 'SIGKILL');
  const [pid] = await until(() => {
    const starting = readRunFile(network.dataDir)?.starting;
    return starting?.length === 1 && starting;
  });
  return pid!;
}

describe('the network on one machine', () => {
  it('is independent of the shell that runs the tests', async () => {
    expect(environment({ PORT: '1' })).toMatchObject({ PORT: '1', PATH: process.env['PATH'] });
    for (const name of [
      'EVENTSTORE_URL',
      'VAULT_DATABASE_PASSWORD_FILE',
      'METRICS_PORT',
      'ROLE',
      'WITNESS_DATABASE_URL',
      'OPERATOR_TOKEN',
      'LOG_LEVEL',
      'PGUSER',
    ])
      try {
        process.env[name] = 'of the shell';
        expect(environment()[name]).toBeUndefined();
      } finally {
        delete process.env[name];
      }
  });

  it('serves from five processes and prints its addresses', async () => {
    expect(Object.keys(network.pids()).toSorted()).toEqual([
      'api',
      'eventStore',
      'postgres',
      'supervisor',
      'worker',
    ]);
    expect((await fetch(network.baseUrl)).status).toBeLessThan(500);
    // The output of the launcher arrives with a delay.
    await until(() => network.output().includes('npm run demo'));
    expect(network.output()).toContain(`${network.baseUrl}/api/auth/.well-known/openid-configuration`);
  });

  it('warns that limits are off, on the console and in the log of the API process', async () => {
    await until(() => network.output().includes('RATE_LIMITS IS OFF'));
    const found = await until(() => network.output().match(/^.*RATE_LIMITS is off.*$/gm));
    const warnings = found.map((line) => JSON.parse(line));
    expect(warnings).toMatchObject([{ level: 40, process: 'api' }]);
  });

  it('logs no other warning when it starts', async () => {
    const [published] = await until(async () => {
      const found = await query('SELECT now()::text AS at FROM recovery.publication');
      return found.length > 0 && found;
    });
    const { at } = published as { at: string };
    const later = `SELECT FROM recovery.heartbeat HAVING count(*) = 4 AND min(beat_at) > '${at}'`;
    await until(async () => (await query(later)).length > 0);
    const complaints = network.output().match(/^\{"level":[4-6]0.*$/gm) ?? [];
    // On a busy machine a database may answer late.
    const isExpected = (line: string) => /RATE_LIMITS is off|connection timeout/.test(line);
    expect(complaints.filter((line) => !isExpected(line))).toEqual([]);
  });

  it('keeps its generated secrets in files that only their owner can read', () => {
    for (const name of ['operator.token', 'postgres.password', 'run.json'])
      expect(statSync(join(network.dataDir, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(network.dataDir, 'operator.token'), 'utf8').trim()).toBe(network.operatorToken);
  });

  it('restarts a killed process, stores on the same port', async () => {
    for (const name of ['api', 'worker', 'eventStore', 'postgres'] as const) {
      const { [name]: pid } = network.pids();
      process.kill(pid!, 'SIGKILL');
      await waitForReplacement(name, pid);
    }
    const lines = await until(() => network.output().match(/^.*"msg":"process (?:serves|ended).*$/gm));
    // Process and part are two fields: JSON readers accept no duplicate key.
    for (const line of lines) {
      expect(line.match(/"process":/g)).toHaveLength(1);
      expect(JSON.parse(line)).toMatchObject({ process: 'launcher', part: expect.any(String) });
    }
    expect(await query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('has its data after a kill -9 of everything', async () => {
    await query('CREATE TABLE kept AS SELECT 42 AS answer');
    await network.killAll('SIGKILL');
    await network.restart();
    expect(await query('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('leaves no process behind when only the launcher is killed', async () => {
    const { supervisor, ...children } = network.pids();
    process.kill(supervisor, 'SIGKILL');
    for (const pid of Object.values(children)) expect(await waitUntilGone(pid!, 60_000)).toBe(true);
    await network.restart();
    expect(network.pids().supervisor).not.toBe(supervisor);
  });

  it('stops with a message when its event store cannot be restarted', async () => {
    const { eventStore, supervisor } = network.pids();
    const directory = join(network.dataDir, 'eventstore');
    process.kill(eventStore!, 'SIGKILL');
    // This test takes the lock before the restarted event store does.
    const release = await until(() => {
      try {
        return lockDirectory(directory);
      } catch {
        return undefined;
      }
    });
    try {
      expect(await waitUntilGone(supervisor, 60_000)).toBe(true);
    } finally {
      release();
    }
    // The last output may arrive after the exit.
    await until(() =>
      /^the event store ended .* a restart of this process would fail again$/m.test(network.output()),
    );
    expect(network.output()).toMatch(/the event store directory .*eventstore is in use by another process/);
    await network.restart();
  });

  it.each([
    ['serves', () => network.pids().api],
    ['does not serve yet', killApiAndGetSuccessor],
  ])('starts after a kill -9 of the launcher, despite a frozen API that %s', async (_when, api) => {
    const frozen = (await api())!;
    process.kill(frozen, 'SIGSTOP');
    await network.killLauncher();
    await network.restart();
    expect(isAlive(frozen)).toBe(false);
    expect((await fetch(network.baseUrl)).status).toBeLessThan(500);
  });

  it('starts at once after a kill -9 of the launcher, while its processes are still ending', async () => {
    await network.killLauncher();
    await network.restart();
    expect((await fetch(network.baseUrl)).status).toBeLessThan(500);
  });
});
