import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { hasGone } from '../../src/launch/processes.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';

/** Whole networks start here, on a machine that may be busy with other tests. */
jest.setTimeout(120_000);

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork();
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

/** Waits until another process than `old` runs under this name. */
async function replaced(
  name: 'api' | 'worker' | 'eventStore' | 'postgres',
  old: number | undefined,
): Promise<void> {
  while (network.pids()[name] === old) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('the network on one machine', () => {
  it('serves from five processes and says where', async () => {
    expect(Object.keys(network.pids()).toSorted()).toEqual([
      'api',
      'eventStore',
      'postgres',
      'supervisor',
      'worker',
    ]);
    expect((await fetch(network.baseUrl)).status).toBeLessThan(500);
    expect(network.output()).toContain(`${network.baseUrl}/api/auth/.well-known/openid-configuration`);
    expect(network.output()).toContain('npm run demo');
  });

  it('keeps its generated secrets in files that only their owner can read', () => {
    for (const name of ['operator.token', 'postgres.password', 'run.json'])
      expect(statSync(join(network.dataDir, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(network.dataDir, 'operator.token'), 'utf8').trim()).toBe(network.operatorToken);
  });

  it('starts a process again that was killed, stores on the same port', async () => {
    for (const name of ['api', 'worker', 'eventStore', 'postgres'] as const) {
      const { [name]: pid } = network.pids();
      process.kill(pid!, 'SIGKILL');
      await replaced(name, pid);
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
    for (const pid of Object.values(children)) expect(await hasGone(pid!, 20_000)).toBe(true);
    await network.restart();
    expect(network.pids().supervisor).not.toBe(supervisor);
  });

  it('starts at once after a kill -9 of the launcher, while the others are still ending', async () => {
    process.kill(network.pids().supervisor, 'SIGKILL');
    await network.restart();
    expect((await fetch(network.baseUrl)).status).toBeLessThan(500);
  });
});
