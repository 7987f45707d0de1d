/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import { operatorOf } from '../support/api.js';
import { startApiProcess } from '../support/api-process.js';
import type { ApiProcess } from '../support/api-process.js';
import { awaited } from '../support/awaited.js';
import { runPlaza } from '../support/command.js';
import { backUp, copyLog, destroyLog, newBackupDir, replaceLog, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { moderatorWith } from '../support/moderators.js';
import { openLogOf } from '../support/network-log.js';
import { enrollOperator } from '../support/operators.js';
import type { EnrolledOperator } from '../support/operators.js';
import { until } from '../support/until.js';

type Holder = Pick<EnrolledOperator, 'token'>;

let network: TestNetwork;
/** A second API process on the stores of the network. */
let another: ApiProcess;
let dir: string;
let admin: EnrolledOperator;
let suspended: EnrolledOperator;
let demoted: EnrolledOperator;
let revoked: EnrolledOperator;

beforeAll(async () => {
  network = await startNetwork();
  another = await startApiProcess(network);
  const shared = operatorOf(network);
  const administrator = (name: string) => enrollOperator(shared, ['administrator'], name);
  admin = await administrator('Ada');
  suspended = await administrator('Bob');
  demoted = await administrator('Cleo');
  revoked = await administrator('Dora');
  dir = newBackupDir(network);
});

afterAll(async () => {
  await another?.stop();
  await network?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs a command with a personal token, and expects it to succeed. */
async function plaza({ token }: Holder, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runPlaza(args, { ...network.env, OPERATOR_TOKEN: token });
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return stdout;
}

/** The statuses of requests with these tokens, at each process. */
function statusesOf(...holders: readonly Holder[]): Promise<readonly (readonly number[])[]> {
  const ports = [Number(network.env['OPERATOR_PORT']), another.operatorPort];
  return Promise.all(ports.map((port) => Promise.all(holders.map((holder) => statusAt(port, holder)))));
}

/** A process listens for operators a moment after it serves. */
const statusAt = (port: number, { token }: Holder): Promise<number> =>
  until(() =>
    fetch(`http://127.0.0.1:${port}/operator/projections`, {
      headers: { authorization: `Bearer ${token}` },
    }).then(
      ({ status }) => status,
      () => undefined,
    ),
  );

const both = (...statuses: number[]) => [statuses, statuses];

const isReady = () => until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200, 120_000);

describe('operators who are ended after a backup', () => {
  it('are refused from the next request on, by every process', async () => {
    expect((await backUp(network, dir)).code).toBe(0);
    expect(await statusesOf(admin, suspended, demoted, revoked)).toEqual(both(200, 200, 200, 200));
    await plaza(admin, 'operator', 'suspend', suspended.operatorId, '--reason', 'left');
    await plaza(admin, 'four-eyes', 'on', '--batch-items', '4');
    const { operatorId, tokenId } = revoked;
    await plaza(admin, 'operator', 'token', 'revoke', tokenId, '--of', operatorId, '--reason', 'lost');
    await plaza(admin, 'operator', 'roles', demoted.operatorId, '--role', 'viewer', '--reason', 'a new task');
    expect(await statusesOf(admin, suspended, demoted, revoked)).toEqual(both(200, 401, 200, 401));
  });

  it('are refused by every process once the backup is restored, before recovery apply', async () => {
    await another.stop();
    await network.halt();
    destroyLog(network);
    const { code, stderr } = await restore(network.dataDir, dir);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    await network.restart();
    another = await startApiProcess(network);
    expect((await operatorOf(network).get('recovery')).state).not.toBe('serving');
    expect(await statusesOf(admin, suspended, demoted, revoked)).toEqual(both(200, 401, 401, 401));
    await expectFourEyes();
  });

  it('are refused after recovery apply, or have their newest roles', async () => {
    await plaza(admin, 'recovery', 'apply', '--reason', 'drill');
    await isReady();
    // Each process proves the recovered network by itself.
    await until(async () => (await statusesOf(demoted)).every(([status]) => status === 200));
    expect(await statusesOf(admin, suspended, demoted, revoked)).toEqual(both(200, 401, 200, 401));
    await expectFourEyes();
    const suspend = ['operator', 'suspend', admin.operatorId, '--reason', 'revenge'];
    const { stderr } = await runPlaza(suspend, { ...network.env, OPERATOR_TOKEN: demoted.token });
    expect(stderr).toContain('(capability_required)');
  });
});

it('a restore is recorded as offline, with the claimed name and the account of the operating system', async () => {
  const opened = await openLogOf(network);
  try {
    const recorded = await opened.log.read(streams.network());
    const restores = recorded.filter(({ event }) => event.type === 'network.restored');
    expect(restores).toMatchObject([
      {
        metadata: {
          operatorId: 'offline',
          operator: userInfo().username,
          systemAccount: userInfo().username,
          reason: 'drill',
        },
      },
    ]);
  } finally {
    await opened.close();
  }
});

describe('the limited shared token', () => {
  it('recovers a network that lost events and every schema but authority, and suspends nobody', async () => {
    await plaza(admin, 'operator', 'limit-shared-token', '--reason', 'drill');
    const logCopy = join(network.dataDir, 'log-copy');
    copyLog(network, logCopy);
    await plaza(admin, 'operator', 'suspend', demoted.operatorId, '--reason', 'left');
    await another.stop();
    await network.halt();
    replaceLog(network, logCopy);
    await network.restart();
    await dropAllSchemasBut('authority');
    await network.killAll('SIGKILL');
    await network.restart();
    another = await startApiProcess(network);

    await expectNoSuspension();
    expect(await statusesOf(admin, suspended, demoted)).toEqual(both(200, 401, 401));
    const applied = await runPlaza(['recovery', 'apply', '--reason', 'drill'], network.env);
    expect([applied.code, applied.code === 0 ? '' : applied.stderr]).toEqual([0, '']);
    await isReady();
    expect((await operatorOf(network).get('recovery')).state).toBe('serving');
    expect(await statusesOf(admin, suspended, demoted)).toEqual(both(200, 401, 401));
    await expectNoSuspension();
  });
});

/** The backup is from before it was on, and does not turn it off. */
async function expectFourEyes(): Promise<void> {
  const { client } = moderatorWith(network, admin);
  expect((await client.get('four-eyes')).batchItems).toBe(4);
  await awaited(client.post('four-eyes/off'));
}

async function expectNoSuspension(): Promise<void> {
  for (const noun of ['operator', 'account']) {
    const suspend = [noun, 'suspend', admin.operatorId, '--reason', 'x'];
    const { code, stderr } = await runPlaza(suspend, network.env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(capability_required)')]);
  }
}

async function dropAllSchemasBut(kept: string): Promise<void> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string }>(
      `SELECT nspname AS schema FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' AND nspname <> $1`,
      [kept],
    );
    expect(rows.map(({ schema }) => schema)).toEqual(expect.arrayContaining(['public', 'recovery', 'audit']));
    for (const { schema } of rows) await client.query(`DROP SCHEMA ${schema} CASCADE`);
  } finally {
    await client.end();
  }
}
