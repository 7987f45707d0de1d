import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { authorityGroup, projectInline } from '../../projections/authority/authority.projection.js';
import { auditGroup } from '../../projections/audit/audit.projection.js';
import { reapplyGroup } from '../../projections/incarnations/fixed-groups.js';
import { clearTables, rederiveAuthority } from '../../src/recovery/apply/rederive-authority.js';
import { openReadStore } from '../../src/base/store/database.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

let postgres: TestPostgres;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** An empty authority store. */
async function openStore() {
  const databaseUrl = await postgres.createReadStore();
  const database = await openReadStore({ url: databaseUrl, applicationName: 'test', maxConnections: 2 });
  opened.push(() => database.close());
  return { databaseUrl, database };
}

async function connect(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  opened.push(() => client.end());
  return client;
}

const toolsOf = (log: MemoryLog) => ({
  log,
  signal: new AbortController().signal,
  report: () => undefined,
});

describe('the authority derived from the log', () => {
  const lostEvents = [
    some.reinstatement('ada'),
    some.profileChange('bob'),
    { type: 'account.erasure_requested', data: { actorId: 'bob', erasesAt: 5, at: 4 } } as const,
    some.account('eve'),
    some.application('lost'),
  ];

  it('equals the log after a recovery, even where the rows contain lost events', async () => {
    const log = new MemoryLog();
    const kept = [some.account('ada'), some.account('bob'), some.suspension('ada'), some.application('app')];
    const had = [...log.add(...kept), ...log.add(...lostEvents)];
    const [before, fresh] = [await openStore(), await openStore()];
    await projectInline(had, before.database.dataSource);
    log.rollBack(kept.length);

    await rederiveAuthority(authorityGroup, { ...toolsOf(log), databaseUrl: before.databaseUrl });
    await rederiveAuthority(authorityGroup, { ...toolsOf(log), databaseUrl: fresh.databaseUrl });

    const rowsOf = async ({ databaseUrl }: typeof fresh) => {
      const client = await connect(databaseUrl);
      const { rows: accounts } = await client.query('SELECT * FROM authority.account ORDER BY actor_id');
      const { rows: applications } = await client.query(
        'SELECT * FROM authority.application ORDER BY app_id',
      );
      return { accounts, applications };
    };
    const found = await rowsOf(before);
    expect(found.accounts).toMatchObject([{ state: 'suspended' }, { website: '' }]);
    expect(found).toEqual(await rowsOf(fresh));
  });
});

describe('emptying the audit', () => {
  it('waits for the worker that is applying events, without a deadlock', async () => {
    const { databaseUrl } = await openStore();
    const [worker, job] = [await connect(databaseUrl), await connect(databaseUrl)];
    await worker.query(`INSERT INTO recovery.checkpoint (group_name, versions) VALUES ('audit', '{}')`);
    await worker.query('BEGIN; SELECT FROM recovery.checkpoint FOR UPDATE');

    const emptied = clearTables(auditGroup, { client: job });
    const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()`;
    await until(async () => (await worker.query(isWaiting)).rowCount);
    await worker.query('LOCK TABLE audit.event IN ROW EXCLUSIVE MODE; COMMIT');

    await emptied;
    const { rows } = await job.query(`SELECT applied_position FROM recovery.checkpoint`);
    expect(rows).toEqual([{ applied_position: null }]);
  });
});

describe('applying events once more', () => {
  it('ends after the events that existed at the beginning, even if new ones arrive', async () => {
    const { databaseUrl } = await openStore();
    const [worker, job] = [await connect(databaseUrl), await connect(databaseUrl)];
    const log = new MemoryLog();
    const last = log.add(some.post('p'), some.post('q')).at(-1);

    const applied = reapplyGroup(
      auditGroup,
      { id: randomUUID(), step: null },
      { ...toolsOf(log), client: job },
    );
    const row = 'SELECT FROM recovery.checkpoint';
    await until(async () => (await worker.query(row)).rowCount);
    log.add(some.post('r'));
    const to = [String(last?.position), last?.id];
    await worker.query('UPDATE recovery.checkpoint SET applied_position = $1, applied_event_id = $2', to);

    expect(await applied).toBeUndefined();
  });
});
