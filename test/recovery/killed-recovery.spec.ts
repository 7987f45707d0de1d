/**
 * Each case goes on where the one before has ended.
 * @sample first
 * @slow
 * @waits
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { streams } from '../../src/log/streams.js';
import { restrictionHash } from '../../src/log/witness/canonical.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { createPost } from '../support/posts.js';
import { startSeparateNetwork } from '../support/separate-network.js';
import type { SeparateNetwork } from '../support/separate-network.js';
import { CHECKS_MS, until } from '../support/until.js';
import { Gates } from './support/gates.js';
import { deletionOf } from './support/restrictions.js';

let network: SeparateNetwork;
let witness: Witness;
let database: Client;
let atWitness: Gates;
let atReadStore: Gates;
let ada: SignedIn;
let post: string;

const deleted = { id: randomUUID() };

beforeAll(async () => {
  network = await startSeparateNetwork();
  witness = openWitness({ url: network.env['WITNESS_DATABASE_URL'], applicationName: 'test' });
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  ada = await personWithToken(network, await registerApplication(network));
  post = await createPost(ada);
  await network.workers[1]?.kill();
});

afterAll(async () => {
  await atWitness?.close();
  await atReadStore?.close();
  await database?.end();
  await witness?.close();
  await network?.stop();
});

async function restartWorker(): Promise<void> {
  await network.workers[0]?.kill();
  await network.workers[0]?.start();
}

/** The steps of a recovery, stopped where it records each of them, in order. */
const inWitness = [{ name: 're-appended, not settled', at: 'BEFORE UPDATE ON restriction' }];
const inReadStore = [
  {
    name: 'settled',
    at: 'BEFORE UPDATE ON recovery.checkpoint',
    when: `current_setting('application_name') LIKE 'plaza-build%'`,
  },
  { name: 'authority derived', at: 'BEFORE INSERT ON recovery.incarnation' },
  {
    name: 'loaded, not noted',
    at: 'BEFORE UPDATE ON recovery.incarnation',
    when: `NEW.build_state = 'finishing' AND OLD.build_state = 'loading'`,
  },
  {
    name: 'half of the indexes made',
    at: 'BEFORE UPDATE ON recovery.incarnation',
    when: 'cardinality(NEW.build_steps) = 9 AND cardinality(OLD.build_steps) = 8',
  },
  {
    name: 'built, not noted',
    at: 'BEFORE UPDATE ON recovery.incarnation',
    when: `NEW.build_state = 'built' AND OLD.build_state = 'finishing'`,
  },
  {
    name: 'verified, not published',
    at: 'BEFORE UPDATE ON recovery.publication',
    when: `NEW.status = 'serving'`,
  },
  {
    name: 'published and noted, not committed',
    at: 'BEFORE UPDATE ON recovery.job',
    when: `NEW.state = 'published'`,
  },
];

const state = async (): Promise<string> => (await operatorOf(network).get('recovery')).state;

describe('a log that lacks an accepted restriction', () => {
  it('puts the network into quarantine', async () => {
    const restriction = { ...deletionOf(post, deleted), stream: streams.post(post) };
    await witness.prepare(restriction, 0);
    await witness.accept(restriction.id, { hash: restrictionHash(restriction), position: 1n }, 0);
    await restartWorker();
    expect(await until(async () => (await state()) === 'quarantined', CHECKS_MS)).toBe(true);
  });

  it('is not recovered if it belongs to another network or the ledger was altered, and the refusal says so', async () => {
    const apply = () => operatorOf(network).post('recovery/apply', { reseedWitness: false });
    const { rows } = await database.query('SELECT network_id FROM recovery.publication');
    await database.query(`UPDATE recovery.publication SET network_id = 'another'`);
    await expect(apply()).rejects.toThrow('the read store to network another');
    await database.query('UPDATE recovery.publication SET network_id = $1', [rows[0].network_id]);

    const ledger = new Client({ connectionString: network.env['WITNESS_DATABASE_URL'] });
    await ledger.connect();
    try {
      const alter = (from: string, to: string) =>
        ledger.query(`ALTER TABLE ledger DISABLE TRIGGER only_added_to;
          UPDATE ledger SET text = replace(text, '${from}', '${to}') WHERE line = 1;
          ALTER TABLE ledger ENABLE TRIGGER only_added_to`);
      await alter('"actorId":"ada"', '"actorId":"eve"');
      await expect(apply()).rejects.toThrow('ledger was altered at line 1');
      await alter('"actorId":"eve"', '"actorId":"ada"');
    } finally {
      await ledger.end();
    }
    expect(await state()).toBe('quarantined');
  });
});

describe('a recovery whose worker is killed at every step', () => {
  it('is completed by the same command, and does nothing twice', async () => {
    atWitness = await Gates.install(network.env['WITNESS_DATABASE_URL'] ?? '', inWitness);
    atReadStore = await Gates.install(network.env['DATABASE_URL'] ?? '', inReadStore);
    const begun = await operatorOf(network).post('recovery/apply', {
      reseedWitness: false,
      reason: 'the disk broke',
    });
    const steps = [
      ...inWitness.map(({ name }) => ({ gates: atWitness, name })),
      ...inReadStore.map(({ name }) => ({ gates: atReadStore, name })),
    ];
    for (const { gates, name } of steps) {
      await gates.waitUntilReached(name);
      await network.workers[0]?.kill();
      await gates.open(name);
      await network.workers[0]?.start();
    }
    const { code, stdout, stderr } = await runPlaza(['recovery', 'apply', '--json'], network.env);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect([null, begun.job?.id]).toContain(
      (JSON.parse(stdout) as { job: { id: string } | null }).job?.id ?? null,
    );
    expect((await operatorOf(network).get('jobs/:id', { id: begun.job?.id ?? '' })).state).toBe('published');

    expect(await operatorOf(network).get('recovery')).toMatchObject({
      state: 'serving',
      witness: {
        unsettled: 0,
        brokenLine: null,
        missing: { count: 0 },
        epochs: { witness: 1, log: 1, readModel: 1 },
      },
    });
    const recorded = await network.opened.log.read(streams.post(post));
    expect(recorded.map(({ id, event }) => (event.type === 'post.deleted' ? id : event.type))).toEqual([
      'post.created',
      deleted.id,
    ]);
    expect((await send(network.baseUrl, 'GET', `/api/posts/${post}`)).status).toBe(404);
    expect((await ada.get('/api/session')).status).toBe(200);
    const left = await database.query(
      `SELECT (SELECT count(*)::integer FROM recovery.incarnation) AS rows,
        (SELECT count(*)::integer FROM pg_namespace WHERE nspname LIKE 'inc\\_%') AS schemas,
        (SELECT count(*)::integer FROM pg_namespace WHERE nspname LIKE 'verify\\_%') AS staged,
        (SELECT count(*)::integer FROM recovery.job) AS jobs`,
    );
    expect(left.rows).toEqual([{ rows: 2, schemas: 2, staged: 0, jobs: 1 }]);
  });

  it('is not started again by a request that arrives while it ends', async () => {
    const id = randomUUID();
    const witness = new Client({ connectionString: network.env['WITNESS_DATABASE_URL'] });
    await witness.connect();
    try {
      await database.query(
        `INSERT INTO recovery.job (id, kind, names, requested_by, requested_at, state, updated_at)
        VALUES ($1, 'recover', '{}', 'a test', now(), 'paused', now())`,
        [id],
      );
      await database.query(`UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`);
      // The plan has read the publication, and waits for the witness, for two seconds at most. Nothing else reads the ledger by
      // itself.
      await witness.query('BEGIN; LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE');
      const asked = operatorOf(network).post('recovery/apply', { reseedWitness: false });
      await until(
        async () =>
          (await witness.query(`SELECT FROM pg_locks WHERE relation = 'ledger'::regclass AND NOT granted`))
            .rowCount,
      );
      await database.query(`UPDATE recovery.job SET state = 'published' WHERE id = $1`, [id]);
      await database.query(`UPDATE recovery.publication SET status = 'serving', reason = NULL`);
      await witness.query('ROLLBACK');
      expect((await asked).job).toMatchObject({ id, state: 'published' });
    } finally {
      await witness.end();
    }
  });
});
