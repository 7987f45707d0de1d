import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import { freePort } from '../../src/launch/free-port.js';
import { operatorClient } from '../support/operator-client.js';
import { signIn } from '../../src/programs/demo/sign-in.js';
import { builtProcess } from '../support/command.js';
import { registerApplication } from '../support/api.js';
import type { Application } from '../support/api.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';
import { password, redirectUri } from './support/auth-network.js';
import { post, send } from './support/raw.js';

const AT_ONCE = 50;
/** Advisory lock that this test's trigger waits for. */
const GATE_LOCK = 4_711_001;

let network: TestNetwork;
let second: ChildProcess;
let ports: readonly [number, number];
let database: Client;
let application: Application;
let handle: string;

beforeAll(async () => {
  network = await lentNetwork();
  ports = [Number(new URL(network.baseUrl).port), await freePort()];
  second = await startSecondProcess();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  application = await registerApplication(network);
  handle = `p_${randomBytes(5).toString('hex')}`;
  await operatorClient(readConfig(network.env)).post('accounts', {
    handle,
    displayName: 'Ada',
    email: 'ada@example.org',
    password,
  });
});

afterAll(async () => {
  await database?.end();
  if (second?.exitCode === null && second.signalCode === null) {
    second.kill('SIGTERM');
    await once(second, 'exit');
  }
  await network?.stop();
});

/** A second API process behind the same proxy. */
async function startSecondProcess(): Promise<ChildProcess> {
  const env = {
    ...network.env,
    ROLE: 'api',
    PORT: String(ports[1]),
    OPERATOR_PORT: String(await freePort()),
    LOG_LEVEL: 'warn',
  };
  const entry = builtProcess('api');
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const lives = () =>
    send(network, { path: '/livez', port: ports[1] }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(lives, 60_000);
  return child;
}

async function refreshToken(): Promise<string> {
  const scope = 'openid offline_access read';
  const tokens = await signIn(network.baseUrl, { ...application, redirectUri, handle, password, scope });
  return tokens.refresh_token ?? '';
}

const refreshAt = (process: number, token: string) =>
  post(
    network,
    'token',
    application,
    { grant_type: 'refresh_token', refresh_token: token },
    ports[process % 2],
  );

async function grantOf(token: string): Promise<string> {
  const { rows } = await database.query<{ grant_id: string }>(
    'SELECT grant_id FROM authority.oidc_record WHERE key_hash = sha256($1::bytea)',
    [Buffer.from(token)],
  );
  return rows[0]?.grant_id ?? '';
}

/** The tokens of a grant. A used refresh token stays until its reuse is detected. */
async function tokenCountsOf(grantId: string) {
  const { rows } = await database.query(
    `SELECT revoked_at IS NOT NULL AS revoked,
       count(*) FILTER (WHERE kind = 'RefreshToken' AND consumed_at IS NOT NULL)::int AS spent,
       count(*) FILTER (WHERE kind = 'RefreshToken' AND consumed_at IS NULL)::int AS unspent
     FROM authority.app_grant JOIN authority.oidc_record USING (grant_id) WHERE grant_id = $1
     GROUP BY revoked_at`,
    [grantId],
  );
  return rows[0];
}

describe('one refresh token, at two API processes,', () => {
  it(`${AT_ONCE} times concurrently, is used at most once, and then its grant has ended [refresh-serialized, refresh-rotation]`, async () => {
    const token = await refreshToken();
    const grantId = await grantOf(token);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => refreshAt(n, token)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const losers = answers.filter(({ status }) => status !== 200);
    expect(new Set(losers.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
      new Set(['400 invalid_grant']),
    );
    expect(await tokenCountsOf(grantId)).toEqual({ revoked: true, spent: 0, unspent: 1 });
    const [winner] = winners.map(({ body }) => body as Record<string, string>);
    const { access_token: accessToken, refresh_token: next } = winner ?? {};
    for (const process of [0, 1]) {
      const refreshed = await refreshAt(process, next ?? '');
      expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
      const { status } = await send(network, {
        path: '/api/session',
        headers: [['authorization', `Bearer ${accessToken}`]],
        port: ports[process] ?? 0,
      });
      expect(status).toBe(401);
    }
  });

  it('whose process is killed before storing the next token, can be used once more', async () => {
    const token = await refreshToken();
    const grantId = await grantOf(token);
    await database.query(`CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE_LOCK}); RETURN NEW; END $$`);
    await database.query(`CREATE TRIGGER gate BEFORE INSERT ON authority.oidc_record FOR EACH ROW
      WHEN (NEW.kind = 'RefreshToken') EXECUTE FUNCTION wait_at_gate()`);
    try {
      await database.query(`SELECT pg_advisory_lock(${GATE_LOCK})`);
      const cutOff = refreshAt(1, token).then(
        () => 'answered',
        () => 'cut off',
      );
      const isWaiting = async () =>
        (
          await database.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'`,
          )
        ).rowCount;
      await until(isWaiting);
      second.kill('SIGKILL');
      await once(second, 'exit');
      expect(await cutOff).toBe('cut off');
    } finally {
      await database.query(`SELECT pg_advisory_unlock(${GATE_LOCK})`);
      await database.query('DROP TRIGGER gate ON authority.oidc_record');
      await database.query('DROP FUNCTION wait_at_gate()');
    }
    expect(await tokenCountsOf(grantId)).toEqual({ revoked: false, spent: 0, unspent: 1 });
    second = await startSecondProcess();

    expect((await refreshAt(0, token)).status).toBe(200);
    expect(await tokenCountsOf(grantId)).toEqual({ revoked: false, spent: 1, unspent: 1 });
    const again = await refreshAt(1, token);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await tokenCountsOf(grantId)).toEqual({ revoked: true, spent: 0, unspent: 1 });
  });
});
