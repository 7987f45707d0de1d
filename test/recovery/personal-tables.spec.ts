import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { serving } from '../../projections/groups.js';
import { personalColumns } from '../../src/background/erasure/personal-tables.js';
import { explainScript } from '../../src/doors/api/sql/assembled.js';
import { assembledReads } from '../../src/doors/api/sql/reads.js';
import { createIncarnation } from '../../projections/incarnations/incarnation.js';
import { openVaultDatabase } from '../../src/log/open-log.js';
import { CreateRewrites1763901000000 } from '../../src/base/store/migrations/1763901000000-rewrites.js';
import { DropVaultStatistics1763901000001 } from '../../src/base/store/migrations/1763901000001-vault-statistics.js';
import { PREFER_INDEXES } from '../../src/base/store/postgres.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/**
 * Columns without data of a person that an erasure removes: identifiers, states, what operators wrote or signed in with,
 * secrets of applications and of the network, digests, and what the network tells of itself.
 */
const notPersonal: Readonly<Record<string, string>> = {
  'read audit.about': 'kind id',
  'read audit.app_actor': 'app_id actor_id',
  'read audit.app_actor_hour': 'app_id actor_id',
  'read audit.app_hour': 'app_id act',
  'read audit.event':
    'type stream subject actor_id app_id grant_id intent_id request_id client_request_id address_class operator_id operator reason cause',
  'read authority.account': 'actor_id state',
  'read authority.app_grant': 'grant_id app_id actor_id scopes',
  'read authority.application':
    'app_id name former_names redirect_uris scopes state post_logout_redirect_uris',
  'read authority.approval': 'approval_id act content digest requested_by reason state decided_by decision',
  'read authority.batch': 'batch_id kind app_id operator_id reason state',
  'read authority.client_secret': 'app_id secret_hash',
  'read authority.credential': 'actor_id',
  'read authority.finished_migration': 'name',
  'read authority.four_eyes': 'network',
  'read authority.known_browser': 'actor_id',
  'read authority.recovery_link': 'token_hash actor_id link_id',
  'read authority.oidc_record': 'kind key_hash grant_id uid_hash',
  'read authority.operator': 'operator_id name roles invitation_hash',
  'read authority.operator_challenge': 'challenge holder',
  'read authority.operator_passkey': 'passkey_id operator_id credential_id public_key transports label',
  'read authority.operator_passkey_link': 'code_hash operator_id',
  'read authority.operator_passkey_use': 'passkey_id',
  'read authority.operator_session': 'session_hash operator_id passkey_id',
  'read authority.operator_token': 'token_id operator_id token_hash label',
  'read authority.operator_token_use': 'token_id',
  'read authority.publishing': 'network',
  'read authority.registration': 'network',
  'read authority.rewrite': 'store table_name',
  'read authority.shared_token': 'network',
  'read authority.wrong_password': 'actor_id',
  'read cases.activity': 'case_id operator_id',
  'read cases.report': 'report_id case_id reporter_actor_id reason decision_id outcome',
  'read cases.summary':
    'case_id post_id target_actor_id status reasons claimed_by decision_id decided_by outcome waiting_appeals pending_effects',
  'read limits.used': 'key',
  'read public.plaza_migration': 'name',
  'read recovery.as_of': 'requested_by state incarnation step message',
  'read recovery.checkpoint': 'group_name versions stopped_reason',
  'read recovery.heartbeat': 'group_name',
  'read recovery.incarnation': 'incarnation schema_name versions stopped_reason build_state build_steps',
  'read recovery.job': 'kind names requested_by reason state incarnation step message',
  'read recovery.outstanding_restriction': 'subject',
  'read recovery.outstanding_write': 'actor_id',
  'read recovery.publication': 'incarnation status reason network_id',
  'read telemetry.sample': 'process_id sample',
  'incarnation actor': 'actor_id state',
  'incarnation application': 'app_id name',
  'incarnation block': 'actor_id target_actor_id',
  'incarnation change':
    'owner_actor_id audience kind actor_id post_id relation_kind target_id target_actor_id',
  'incarnation follow_start': 'actor_id author_actor_id',
  'incarnation inbox': 'actor_id id kind source_actor_id source_id',
  'incarnation inbox_mark': 'actor_id',
  'incarnation intent': 'app_id actor_id intent_id post_id',
  'incarnation merged_author': 'actor_id',
  'incarnation post': 'id author_actor_id app_id audience status last_edit_app_id parent_id root_id',
  'incarnation post_count': 'actor_id',
  'incarnation relation': 'actor_id kind target_id target_actor_id',
  'incarnation relation_count': 'actor_id',
  'incarnation restricted_post': 'id',
  'incarnation timeline': 'actor_id',
  'incarnation timeline_start': 'actor_id',
  'incarnation unsettled': 'actor_id',
  'vault public.network_secret': 'name value',
  'vault public.person_key': 'person_id',
  'vault public.plaza_migration': 'name',
  'witness public.head': 'hash',
  'witness public.ledger': 'text hash',
  'witness public.plaza_migration': 'name',
  'witness public.restriction': 'state hash content',
};

const SCHEMA = 'inc_one';

let postgres: TestPostgres;
let urls: Readonly<Record<'read' | 'vault' | 'witness', string>>;
const clients = {} as Record<'read' | 'vault' | 'witness', Client>;

beforeAll(async () => {
  postgres = await startTestPostgres();
  urls = {
    read: await postgres.createReadStore(),
    vault: await postgres.createDatabase(),
    witness: await postgres.createDatabase(),
  };
  await (await openVaultDatabase({ url: urls.vault, applicationName: 'test', maxConnections: 1 })).close();
  const witness = openWitness({ url: urls.witness, applicationName: 'test' });
  await witness.find([]);
  await witness.close();
  for (const [store, connectionString] of Object.entries(urls)) {
    clients[store as 'read'] = new Client({
      connectionString,
      options: `${PREFER_INDEXES} -c lock_timeout=10s`,
    });
    await clients[store as 'read'].connect();
  }
  const tables = serving.projections.map((each) => each.tables);
  await createIncarnation(clients.read, { id: 'one', versions: {}, tables, now: 0 });
  await clients.read.query(`SET search_path = ${SCHEMA}`);
  for (const { indexes = '' } of serving.projections) await clients.read.query(indexes);
  await clients.read.query(content);
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.end();
  await postgres?.stop();
});

interface Column {
  readonly table: string;
  readonly column: string;
  readonly statistics: number | null;
}

/** Columns that can hold a text, of all stores. `statistics` null: of the default size. */
async function columns(): Promise<readonly Column[]> {
  const found: Column[] = [];
  for (const [store, client] of Object.entries(clients)) {
    const { rows } = await client.query<Column>(
      `SELECT CASE nspname WHEN '${SCHEMA}' THEN 'incarnation ' ELSE '${store} ' || nspname || '.' END || relname AS table,
        attname AS column, attstattarget AS statistics
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relkind = 'r' AND attnum > 0 AND NOT attisdropped AND nspname NOT IN ('pg_catalog', 'information_schema')
        AND atttypid::regtype::text = ANY ('{text,text[],"character varying",json,jsonb,bytea}')`,
    );
    found.push(...rows);
  }
  return found;
}

const personal = Object.entries(personalColumns).flatMap(([store, tables]) =>
  Object.entries(tables).flatMap(([table, names]) =>
    (names as readonly string[]).map((name) => `${store} ${table}.${name}`),
  ),
);

describe('the list of personal columns', () => {
  it('has every column of the schema that is not known to be none', async () => {
    const others = Object.entries(notPersonal).flatMap(([table, names]) =>
      names.split(' ').map((name) => `${table}.${name}`),
    );
    const inSchema = (await columns()).map(({ table, column }) => `${table}.${column}`);
    expect(inSchema.toSorted()).toEqual([...personal, ...others].toSorted());
  });

  it('has no column of which Postgres keeps statistics', async () => {
    const kept = (await columns()).filter(
      ({ table, column, statistics }) => personal.includes(`${table}.${column}`) && statistics !== 0,
    );
    expect(kept).toEqual([]);
  });
});

const content = `
  INSERT INTO actor SELECT 'a' || i, 'h' || i, 'n' || i % 9, 'b' || i % 7, '', 1, i,
    CASE i % 50 WHEN 9 THEN 'suspended' ELSE 'active' END FROM generate_series(1, 2000) i;
  INSERT INTO block SELECT 'a' || i, 'a' || i + 1, i FROM generate_series(1, 500) i;
  INSERT INTO post SELECT 'p' || i, i * 100, 'a' || i % 80, 'app', 'text ' || i, 'public', 'published', 1, i, NULL, NULL,
    CASE WHEN i > 1 THEN 'p1' END, CASE WHEN i > 1 THEN 'p1' END FROM generate_series(1, 5000) i;
  INSERT INTO relation SELECT 'a' || i, 'follow', 'a1', 'a1', 1, i, i FROM generate_series(2, 1500) i;
  INSERT INTO timeline SELECT 'a2', position FROM post;
  INSERT INTO timeline_start VALUES ('a1', 1), ('a2', 1);
  INSERT INTO follow_start VALUES ('a1', 'a2', 1), ('a2', 'a1', 1);
  INSERT INTO inbox SELECT 'a1', 'e' || i, 'follow', 'a' || i, 'a' || i, i, i * 100 FROM generate_series(1, 1500) i;
  INSERT INTO authority.account (actor_id, handle, display_name, email, state, registered_at, revision)
    SELECT 'a' || i, 'h' || i, 'n', i || '@example.org', 'active', 1, 1 FROM generate_series(1, 2000) i;
  INSERT INTO authority.credential SELECT 'a' || i, 'hash' || i FROM generate_series(1, 2000) i;
  INSERT INTO authority.oidc_record (kind, key_hash, payload, expires_at)
    SELECT 'Session', sha256(i::text::bytea), json_build_object('accountId', 'a' || i, 'sealed', i), now()
    FROM generate_series(1, 2000) i`;

/** Statements of the authorization server that look personal columns up. */
const lookups = [
  "SELECT * FROM authority.account WHERE handle = 'h5' AND state <> 'erased'",
  "SELECT * FROM authority.account JOIN authority.credential USING (actor_id) WHERE actor_id = 'a5'",
  "SELECT * FROM authority.oidc_record WHERE kind = 'Session' AND payload->>'accountId' = 'a5'",
];

async function plans(): Promise<Readonly<Record<string, string>>> {
  const { read } = clients;
  const found: Record<string, string> = {};
  const linesOf = (rows: { 'QUERY PLAN': string }[]) => rows.map((row) => row['QUERY PLAN']).join('\n');
  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    await read.query(`SET plan_cache_mode = ${mode}`);
    for (const sql of lookups)
      found[sql] = linesOf((await read.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${sql}`)).rows);
    for (const [name, each] of Object.entries(assembledReads)) {
      const script = explainScript(each, 'one').replace('(ANALYZE, BUFFERS)', '(COSTS OFF)');
      const [, explained] = (await read.query(script)) as unknown as { rows: { 'QUERY PLAN': string }[] }[];
      found[`${name} ${mode}`] = linesOf(explained!.rows);
      await read.query('DEALLOCATE read');
    }
  }
  return found;
}

const setStatistics = async (target: number): Promise<void> => {
  const read = { ...personalColumns.read, ...personalColumns.incarnation };
  for (const [table, names] of Object.entries(read))
    for (const name of names as readonly string[])
      await clients.read.query(`ALTER TABLE ${table} ALTER ${name} SET STATISTICS ${target}`);
  await clients.read.query('ANALYZE');
};

const runnerOf = (client: Client): QueryRunner =>
  ({ query: (sql: string) => client.query(sql) }) as unknown as QueryRunner;

it('has no samples from before the release that turned them off', async () => {
  // Columns of later migrations never had any.
  const names = Object.values(personalColumns.read)
    .flat()
    .filter((name) => !['address_proof', 'factors'].includes(name));
  const sampled = async () => {
    const sql = `SELECT tablename, attname FROM pg_stats WHERE schemaname = 'authority' AND attname = ANY ($1)`;
    return (await clients.read.query(sql, [names])).rows as unknown[];
  };
  const migration = new CreateRewrites1763901000000();
  await migration.down(runnerOf(clients.read));
  await setStatistics(100);
  expect(await sampled()).toContainEqual({ tablename: 'oidc_record', attname: 'payload' });
  await clients.read.query('BEGIN');
  await migration.up(runnerOf(clients.read));
  await clients.read.query('COMMIT');
  expect(await sampled()).toEqual([]);
  await setStatistics(0);
});

const migrations: readonly ['read' | 'vault', MigrationInterface, string, string][] = [
  ['read', new CreateRewrites1763901000000(), 'authority.credential', 'authority.account'],
  ['vault', new DropVaultStatistics1763901000001(), 'public.person_key', 'public.person_key'],
];

it.each(migrations)(
  'lets the release before read on while a backup holds the migration back (%s)',
  async (store, migration, copied, read) => {
    const [backup, upgrade] = [new Client(urls[store]), new Client(urls[store])];
    await Promise.all([backup.connect(), upgrade.connect()]);
    await migration.down(runnerOf(clients[store]));
    await backup.query(`BEGIN; LOCK TABLE ${copied} IN ACCESS SHARE MODE`);
    const { rows } = await upgrade.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await upgrade.query('BEGIN');
    const migrated = migration.up(runnerOf(upgrade));
    const waits = `SELECT FROM pg_locks WHERE pid = $1 AND NOT granted`;
    await until(async () => (await backup.query(waits, [rows[0]?.pid])).rowCount);
    await expect(clients[store].query(`SELECT FROM ${read}`)).resolves.toBeDefined();
    await backup.query('COMMIT');
    await migrated;
    await upgrade.query('COMMIT');
    await Promise.all([backup.end(), upgrade.end()]);
  },
);

it('costs no read its plan: with statistics of personal columns, Postgres plans all of them alike', async () => {
  // By itself, a vacuum between the two would make other plans cheaper.
  await clients.read.query('VACUUM (ANALYZE)');
  const without = await plans();
  await setStatistics(100);
  await clients.read.query('VACUUM (ANALYZE)');
  const samples = `SELECT FROM pg_stats WHERE tablename = 'actor' AND attname = 'bio'`;
  expect((await clients.read.query(samples)).rowCount).toBe(1);
  expect(await plans()).toEqual(without);
  expect(Object.values(without).join('\n')).toContain('Index Scan using account_handle');
});
