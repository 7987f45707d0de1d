/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { backUp, copyLog, destroyLog, newBackupDir, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { enrollOperator } from '../support/operators.js';
import type { EnrolledOperator } from '../support/operators.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let dir: string;
let admin: EnrolledOperator;
let dismissed: EnrolledOperator;
let demoted: EnrolledOperator;
let lost: EnrolledOperator;

beforeAll(async () => {
  network = await startNetwork();
  const shared = operatorOf(network);
  admin = await enrollOperator(shared, ['administrator'], 'Ada');
  dismissed = await enrollOperator(shared, ['administrator'], 'Bob');
  demoted = await enrollOperator(shared, ['administrator'], 'Cleo');
  lost = await enrollOperator(shared, ['administrator'], 'Dora');
  dir = newBackupDir(network);
});

afterAll(async () => {
  await network?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const plaza = (args: readonly string[], { token }: Pick<EnrolledOperator, 'token'>) =>
  runPlaza(args, { ...network.env, OPERATOR_TOKEN: token });

/** The status of a request with this token. */
async function statusOf({ token }: Pick<EnrolledOperator, 'token'>): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const url = `http://127.0.0.1:${network.env['OPERATOR_PORT']}/operator/projections`;
  return (await fetch(url, { headers })).status;
}

const isReady = () => until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200, 120_000);

describe('operators of a network whose older backup is restored', () => {
  it('are ended after the backup', async () => {
    expect((await backUp(network, dir)).code).toBe(0);
    const suspended = await plaza(['operator', 'suspend', dismissed.operatorId, '--reason', 'left'], admin);
    expect(suspended.code).toBe(0);
    const roles = ['operator', 'roles', demoted.operatorId, '--role', 'viewer', '--reason', 'a new task'];
    expect((await plaza(roles, admin)).code).toBe(0);
    const revoke = ['operator', 'token', 'revoke', lost.tokenId, '--of', lost.operatorId, '--reason', 'lost'];
    expect((await plaza(revoke, admin)).code).toBe(0);
    expect(await Promise.all([admin, dismissed, demoted, lost].map(statusOf))).toEqual([200, 401, 200, 401]);
    await network.halt();
    destroyLog(network);
    const { code, stderr } = await restore(network.dataDir, dir);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    await network.restart();
  });

  it('are refused before recovery apply, and all others admitted', async () => {
    expect((await operatorOf(network).recoveryStatus()).state).not.toBe('serving');
    expect(await Promise.all([admin, dismissed, demoted, lost].map(statusOf))).toEqual([200, 401, 401, 401]);
  });

  it('are refused by a running process, too, that finds the log restored', async () => {
    await network.restart();
    expect(await Promise.all([dismissed, demoted, lost].map(statusOf))).toEqual([401, 401, 401]);
  });

  it('are refused after recovery apply, or have their newest roles', async () => {
    const applied = await plaza(['recovery', 'apply', '--reason', 'drill'], admin);
    expect([applied.code, applied.code === 0 ? '' : applied.stderr]).toEqual([0, '']);
    await isReady();
    expect(await Promise.all([admin, dismissed, demoted, lost].map(statusOf))).toEqual([200, 401, 200, 401]);
    const { stderr } = await plaza(['operator', 'suspend', admin.operatorId, '--reason', 'revenge'], demoted);
    expect(stderr).toContain('(capability_required)');
  });

  it('leave a restore in the log as offline, with the claimed name and the account of the system', async () => {
    const { stdout } = await plaza(['audit', '--since', '1h'], admin);
    const events = stdout.trim().split('\n').map((line) => JSON.parse(line) as { type: string; operator: string });
    expect(events.filter(({ type }) => type === 'network.restored')).toEqual([
      expect.objectContaining({ reason: 'drill', operator: expect.any(String) }),
    ]);
  });
});

describe('the limited shared token', () => {
  it('recovers a network that lost its log and every schema but authority, and suspends nobody', async () => {
    expect((await plaza(['operator', 'limit-shared-token', '--reason', 'drill'], admin)).code).toBe(0);
    const logCopy = join(network.dataDir, 'eventstore-copy');
    copyLog(network, logCopy);
    const late = await enrollOperator(operatorOf(network), ['viewer']);
    expect((await plaza(['operator', 'suspend', dismissed.operatorId, '--reason', 'again'], admin)).code).toBe(0);
    expect((await plaza(['operator', 'suspend', lost.operatorId, '--reason', 'left'], admin)).code).toBe(0);
    await network.killAll('SIGKILL');
    destroyLog(network);
    cpSync(logCopy, join(network.dataDir, 'eventstore'), { recursive: true });
    await network.restart();
    await dropAllSchemasBut('authority');
    await network.killAll('SIGKILL');
    await network.restart();

    const suspend = await runPlaza(['operator', 'suspend', admin.operatorId, '--reason', 'x'], network.env);
    expect([suspend.code, suspend.stderr]).toEqual([1, expect.stringContaining('(capability_required)')]);
    const applied = await runPlaza(['recovery', 'apply', '--reason', 'drill'], network.env);
    expect([applied.code, applied.code === 0 ? '' : applied.stderr]).toEqual([0, '']);
    await isReady();
    expect((await operatorOf(network).recoveryStatus()).state).toBe('serving');
    expect(await Promise.all([admin, dismissed, lost, late].map(statusOf))).toEqual([200, 401, 401, 401]);
    const again = await runPlaza(['operator', 'suspend', admin.operatorId, '--reason', 'x'], network.env);
    expect(again.stderr).toContain('(capability_required)');
  });
});

async function dropAllSchemasBut(kept: string): Promise<void> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string }>(
      `SELECT nspname AS schema FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' AND nspname <> $1`,
      [kept],
    );
    for (const { schema } of rows) await client.query(`DROP SCHEMA ${schema} CASCADE`);
  } finally {
    await client.end();
  }
}
