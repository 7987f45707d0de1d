/**
 * Each case goes on where the one before has ended.
 * @sample first
 * @slow
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { streams } from '../../src/log/streams.js';
import { Failure } from '../../src/base/terminal/failure.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { requestAt } from '../support/api-process.js';
import { startSeparateNetwork } from '../support/separate-network.js';
import type { SeparateNetwork } from '../support/separate-network.js';
import { sampleOf } from '../support/sample.js';
import { until } from '../support/until.js';

const MARKER = 'xyzzyplughfrotz';

let network: SeparateNetwork;
let store: Client;
let vault: Client;
let bob: SignedIn;
/** The erased people, by the step at which their erasure is interrupted. */
const people = new Map<string, SignedIn>();

/** It waits while another session locks a row; $1 is the person. */
interface Step {
  readonly name: string;
  readonly database: 'store' | 'vault';
  readonly row: () => Promise<string>;
  /** The process that waits for the lock. */
  readonly waits: 'plaza-api' | 'plaza-projector';
}

const allSteps: readonly Step[] = [
  // First, because the other locks stop workers.
  {
    name: 'before the read models show it',
    database: 'store',
    row: async () => `SELECT FROM ${await published()}.actor WHERE actor_id = $1 FOR UPDATE`,
    waits: 'plaza-projector',
  },
  {
    name: 'before the authority store knows of it',
    database: 'store',
    row: async () => 'SELECT FROM authority.account WHERE actor_id = $1 FOR UPDATE',
    waits: 'plaza-api',
  },
  {
    name: 'while the grants end',
    database: 'store',
    row: async () => 'SELECT FROM authority.app_grant WHERE actor_id = $1 FOR UPDATE',
    waits: 'plaza-api',
  },
  {
    name: 'before password, sessions and tokens are forgotten',
    database: 'store',
    row: async () => 'SELECT FROM authority.credential WHERE actor_id = $1 FOR UPDATE',
    waits: 'plaza-api',
  },
  // Last: a session that rewrites the vault's files waits for this lock, and all other sessions of the vault wait for
  // that one.
  {
    name: 'before the key is destroyed',
    database: 'vault',
    row: async () => 'SELECT FROM person_key WHERE person_id = $1 FOR UPDATE',
    waits: 'plaza-api',
  },
];
const steps = sampleOf(allSteps, 2);

const published = async (): Promise<string> => {
  const { rows } = await store.query<{ schema_name: string }>(
    'SELECT schema_name FROM recovery.publication JOIN recovery.incarnation USING (incarnation)',
  );
  return rows[0]?.schema_name ?? '';
};

const connect = async (url: string | undefined): Promise<Client> => {
  const client = new Client(url);
  await client.connect();
  return client;
};

const urlOf = (database: 'store' | 'vault') =>
  network.env[database === 'store' ? 'DATABASE_URL' : 'VAULT_DATABASE_URL'];

beforeAll(async () => {
  network = await startSeparateNetwork();
  [store, vault] = [await connect(urlOf('store')), await connect(urlOf('vault'))];
  const application = await registerApplication(network);
  const person = () => personWithToken(network, application, 'openid offline_access read post:create');
  bob = await person();
  for (const { name } of steps) {
    const someone = await person();
    await someone.say(`${MARKER} ${name}`);
    people.set(name, someone);
  }
});

afterAll(async () => {
  await store?.end();
  await vault?.end();
  await network?.stop();
});

const everyone = () => [...people.values()].map(({ actorId }) => actorId);

/** Tables with this text in a row. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const client of [store, vault]) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of rows) {
      const { rowCount } = await client.query(`SELECT FROM ${name} t WHERE t::text LIKE '%${text}%' LIMIT 1`);
      if (rowCount) found.push(name);
    }
  }
  return found;
}

describe('an erasure whose process is killed', () => {
  it('is finished by the next process that starts, whichever step it had reached', async () => {
    const acknowledged: string[] = [];
    const faults: unknown[] = [];
    const holders: Client[] = [];
    try {
      for (const { name, database, row, waits } of steps) {
        const holder = await connect(urlOf(database));
        holders.push(holder);
        const { actorId } = people.get(name)!;
        await holder.query('BEGIN');
        await holder.query(await row(), [actorId]);
        const pid = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
        let isRequested = false;
        const requestErasure = async (): Promise<void> => {
          isRequested = true;
          try {
            await operatorOf(network).post('accounts/:id/erase', {
              id: actorId,
              delayMs: 0,
              reason: 'a test',
            });
            acknowledged.push(name);
          } catch (error) {
            // The caller gets an unknown outcome. An erasure that has not reached the step is requested again.
            if (!(error instanceof Failure)) faults.push(error);
          } finally {
            isRequested = false;
          }
        };
        // Waits for the row lock, directly or behind another session.
        const waiting = `WITH RECURSIVE blocked (pid) AS (
            VALUES (${pid}::integer)
            UNION
            SELECT activity.pid FROM pg_stat_activity activity
            JOIN blocked ON blocked.pid = ANY (pg_blocking_pids(activity.pid)))
          SELECT FROM blocked JOIN pg_stat_activity USING (pid) WHERE application_name LIKE '${waits}%'`;
        // Not the session of the lock: within a transaction, pg_stat_activity stays as it was first read.
        const watcher = database === 'store' ? store : vault;
        await until(async () => {
          if (!isRequested) void requestErasure();
          return (await watcher.query(waiting)).rowCount;
        }).catch((error: unknown) => {
          throw new Error(`no erasure was cut off ${name}`, { cause: error });
        });
      }
      for (const each of network.api) await each.kill();
    } finally {
      for (const holder of holders) await holder.end();
    }
    expect([acknowledged, faults]).toEqual([[], []]);
    await network.api[0]?.start();

    const finished = `SELECT FROM authority.account
      WHERE actor_id = ANY ($1) AND state = 'erased' AND erasure_finished_at IS NOT NULL`;
    await until(async () => (await store.query(finished, [everyone()])).rowCount === steps.length, 120_000);
  });

  it('is then in the log once, with all grants revoked and the key destroyed', async () => {
    for (const [name, { actorId }] of people) {
      const account = await network.opened.log.read(streams.account(actorId));
      expect([name, account.map(({ event }) => event.type)]).toEqual([
        name,
        ['account.registered', 'account.erased'],
      ]);
      const grants = await store.query<{ grant_id: string }>(
        'SELECT grant_id FROM authority.app_grant WHERE actor_id = $1',
        [actorId],
      );
      expect(grants.rows.length).toBeGreaterThan(0);
      for (const { grant_id: grantId } of grants.rows) {
        const grant = await network.opened.log.read(streams.grant(grantId));
        expect([name, grant.at(-1)?.event.type]).toEqual([name, 'grant.revoked']);
      }
    }
    const keys = await vault.query('SELECT FROM person_key WHERE person_id = ANY ($1) AND key IS NULL', [
      everyone(),
    ]);
    expect(keys.rowCount).toBe(steps.length);
  });

  it('leaves no password, no token and no text', async () => {
    const left = await store.query(
      `SELECT actor_id FROM authority.credential WHERE actor_id = ANY ($1)
      UNION ALL
      SELECT actor_id FROM authority.app_grant JOIN authority.oidc_record USING (grant_id)
      WHERE actor_id = ANY ($1)`,
      [everyone()],
    );
    expect(left.rows).toEqual([]);
    expect(await tablesWith(MARKER)).toEqual([]);
    for (const { actorId, token } of people.values()) {
      expect((await bob.get(`/api/actors/${actorId}`)).status).toBe(404);
      expect(
        (await requestAt(network, network.ports[0]!, 'GET', '/api/profile', { by: { token } })).status,
      ).toBe(401);
    }
  });

  it('is acknowledged when it is requested again, and changes nothing', async () => {
    for (const actorId of everyone())
      expect(
        await operatorOf(network).post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'a test' }),
      ).toMatchObject({
        changed: false,
        revision: 2,
      });
  });
});

describe('an erasure with several processes', () => {
  it('takes effect in every process at once, even in one that cached the key and is still writing', async () => {
    await network.api[1]?.start();
    const ada = await personWithToken(network, await registerApplication(network));
    const say = (port: number, n: number) =>
      requestAt(network, port, 'POST', '/api/posts', {
        by: ada,
        body: { intentId: `intent-${port}-${n}`, text: `${MARKER} ${n}`, audience: 'public' },
      });
    for (const port of network.ports) expect((await say(port, 0)).status).toBe(200);
    const erased = new AbortController();
    const racing = network.ports.map(async (port) => {
      const statuses: number[] = [];
      for (let n = 1; !erased.signal.aborted; n++) statuses.push((await say(port, n)).status);
      return statuses;
    });
    try {
      await operatorOf(network).post('accounts/:id/erase', { id: ada.actorId, delayMs: 0, reason: 'a test' });
    } finally {
      erased.abort();
    }
    for (const port of network.ports) expect((await say(port, 1_000)).status).toBe(401);
    for (const status of (await Promise.all(racing)).flat()) expect([200, 401, 403, 404]).toContain(status);
    expect(await tablesWith(MARKER)).toEqual([]);
  });
});
