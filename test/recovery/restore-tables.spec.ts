import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { endSessionsSql } from '../../src/commands/account/end-sessions.js';
import { openVaultDatabase } from '../../src/log/open-log.js';
import { tablesOfPart } from '../../src/recovery/backup/format/tables.js';
import { PreRestoreCopy } from '../../src/recovery/backup/restore/pre-restore-copies.js';
import {
  destroyErasedKeys,
  keepNewerCredentials,
  refuseMissingRestrictions,
  refuseMissingKeys,
  copyWitnessRecordBack,
  restoreTables,
} from '../../src/recovery/backup/restore/restore-tables.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { openReadyWitness } from '../support/witness.js';

const [one, two] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

let postgres: TestPostgres;
let dir: string;
let vault: Client;
let database: Client;
let stamp = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  dir = mkdtempSync(join(tmpdir(), 'plaza-restore-tables-'));
  const [databaseUrl, vaultUrl] = [await postgres.createReadStore(), await postgres.createDatabase()];
  await (await openVaultDatabase({ url: vaultUrl, applicationName: 'test', maxConnections: 1 })).close();
  [database, vault] = [new Client(databaseUrl), new Client(vaultUrl)];
  for (const client of [database, vault]) await client.connect();
});

beforeEach(async () => {
  await vault.query('TRUNCATE person_key, network_secret');
  await database.query(`TRUNCATE ${tablesOfPart.authority.join(', ')}`);
});

afterAll(async () => {
  for (const client of [database, vault]) await client?.end();
  await postgres?.stop();
  rmSync(dir, { recursive: true });
});

/** A file of a backup in the format of COPY. */
function fileOf(table: string, columns: readonly string[], ...rows: readonly string[][]) {
  const path = join(dir, `${table}.${++stamp}.copy`);
  const content = rows.map((row) => `${row.join('\t')}\n`).join('');
  writeFileSync(path, content);
  return { table, columns, path, bytes: content.length };
}

const newPreRestoreCopy = () => new PreRestoreCopy(`t${++stamp}`);

const keys = (...rows: string[][]) =>
  fileOf('public.person_key', ['key_id', 'person_id', 'key', 'created_at', 'destroyed_at'], ...rows);
const liveKey = (id: string, person: string) => [id, person, String.raw`\\xaa`, '2026-01-01', String.raw`\N`];

describe('restoring the vault', () => {
  it('replaces the rows, keeps the old ones in a pre-restore copy, and reports progress', async () => {
    await vault.query(`INSERT INTO person_key (key_id, person_id, key) VALUES ($1, 'here', '\\xbb')`, [one]);
    const kept = newPreRestoreCopy();
    const steps: number[] = [];
    const file = keys(liveKey(two, 'there'));
    await restoreTables(vault, 'vault', [file], kept, (bytes) => steps.push(bytes));
    expect((await vault.query('SELECT person_id FROM person_key')).rows).toEqual([{ person_id: 'there' }]);
    expect(
      (await vault.query(`SELECT person_id FROM ${kept.copiedTable('public.person_key')}`)).rows,
    ).toEqual([{ person_id: 'here' }]);
    expect(steps).toEqual([file.bytes]);
    const refusal = refuseMissingKeys(vault, kept, { parts: ['authority', 'vault'], isLogHere: true });
    await expect(refusal).rejects.toThrow(
      /^the current vault has 1 keys that the backup lacks.*: leave the vault out \(--parts authority\), or restore the log as well$/,
    );
    const elsewhere = refuseMissingKeys(vault, kept, { parts: ['vault'], isLogHere: false });
    await expect(elsewhere).rejects.toThrow(/: leave the vault out$/);
  });

  it('destroys again the keys of people who were erased since the backup', async () => {
    await vault.query(
      `INSERT INTO person_key (key_id, person_id, key, destroyed_at)
      VALUES ($1, 'erased', NULL, '2026-02-02'), ($2, 'alive', '\\xbb', NULL)`,
      [one, two],
    );
    const kept = newPreRestoreCopy();
    await restoreTables(
      vault,
      'vault',
      [keys(liveKey(one, 'erased'), liveKey(two, 'alive'))],
      kept,
      () => undefined,
    );
    expect(await destroyErasedKeys(vault, kept)).toBe(1);
    expect(await destroyErasedKeys(vault, kept)).toBe(0);
    await refuseMissingKeys(vault, kept, { parts: ['vault'], isLogHere: true });
    const { rows } = await vault.query('SELECT person_id, key IS NULL AS gone FROM person_key ORDER BY 1');
    expect(rows).toEqual([
      { person_id: 'alive', gone: false },
      { person_id: 'erased', gone: true },
    ]);
  });

  it('keeps the record that a witness exists, which an older copy lacks', async () => {
    await vault.query(`INSERT INTO network_secret (name, value) VALUES ('has-witness', '1'), ('later', '1')`);
    const kept = newPreRestoreCopy();
    await restoreTables(vault, 'vault', [keys(liveKey(two, 'alive'))], kept, () => undefined);
    await copyWitnessRecordBack(vault, kept);
    expect((await vault.query('SELECT name FROM network_secret')).rows).toEqual([{ name: 'has-witness' }]);
  });

  it('refuses a table that this release does not know', async () => {
    const file = { ...keys(), table: 'public.other' };
    await expect(restoreTables(vault, 'vault', [file], newPreRestoreCopy(), () => undefined)).rejects.toThrow(
      /has tables that this release does not know/,
    );
  });
});

describe('restoring the authority store', () => {
  const columns = ['kind', 'key_hash', 'payload', 'expires_at', 'consumed_at'];
  const record = (hash: string, consumed = String.raw`\N`) => [
    'RefreshToken',
    String.raw`\\x` + hash,
    '{}',
    '2030-01-01',
    consumed,
  ];
  const backup = () => [
    fileOf('authority.credential', ['actor_id', 'password_hash'], ['ada', 'as it was'], ['bob', 'as it was']),
    fileOf('authority.oidc_record', columns, record('01'), record('02'), record('03')),
    fileOf(
      'authority.client_secret',
      ['app_id', 'secret_hash'],
      ['app', String.raw`\\x0a`],
      ['lost', String.raw`\\x0b`],
    ),
  ];

  const restoreAuthority = async () => {
    const kept = newPreRestoreCopy();
    await restoreTables(database, 'authority', backup(), kept, () => undefined);
    await keepNewerCredentials(database, kept);
    const records = await database.query<{ hash: string; spent: boolean }>(
      `SELECT encode(key_hash, 'hex') AS hash, consumed_at IS NOT NULL AS spent FROM authority.oidc_record ORDER BY 1`,
    );
    const proofs = await database.query<{ proof: string }>(`
      SELECT app_id || ' ' || encode(secret_hash, 'hex') AS proof FROM authority.client_secret
      UNION ALL SELECT actor_id || ' ' || password_hash FROM authority.credential ORDER BY 1`);
    return [records.rows, proofs.rows.map(({ proof }) => proof)];
  };

  it('revives no token that ended or was used since, and no replaced secret or password', async () => {
    await database.query(`
      INSERT INTO authority.oidc_record (kind, key_hash, payload, expires_at, consumed_at) VALUES
        ('RefreshToken', '\\x01', '{}', '2030-01-01', NULL), ('RefreshToken', '\\x02', '{}', '2030-01-01', now());
      INSERT INTO authority.client_secret (app_id, secret_hash) VALUES ('app', '\\x0c');
      INSERT INTO authority.credential VALUES ('ada', 'changed'), ('later', 'new')`);
    expect(await restoreAuthority()).toEqual([
      [
        { hash: '01', spent: false },
        { hash: '02', spent: true },
      ],
      ['ada changed', 'app 0c', 'bob as it was', 'later new', 'lost 0b'],
    ]);
  });

  it('revives no session or sign-in that ended since', async () => {
    const live = { Session: { accountId: 'ada' }, Interaction: { session: { accountId: 'ada' } } };
    const kinds = Object.entries(live);
    const ended = fileOf(
      'authority.oidc_record',
      ['kind', 'key_hash', 'uid_hash', 'payload', 'expires_at'],
      ...kinds.map(([kind, payload]) => [
        kind,
        String.raw`\\x0e`,
        String.raw`\\x0f`,
        JSON.stringify(payload),
        '2030-01-01',
      ]),
    );
    for (const [kind, payload] of kinds)
      await database.query(
        `INSERT INTO authority.oidc_record (kind, key_hash, uid_hash, payload, expires_at)
        VALUES ($1, '\\x0e', '\\x0f', $2, '2030-01-01')`,
        [kind, payload],
      );
    await database.query(`INSERT INTO authority.credential VALUES ('ada', 'hash')`);
    await database.query(endSessionsSql);
    const rows = 'SELECT * FROM authority.oidc_record ORDER BY kind';
    const { rows: here } = await database.query(rows);
    const kept = newPreRestoreCopy();
    await restoreTables(database, 'authority', [ended], kept, () => undefined);
    await keepNewerCredentials(database, kept);
    expect(here).toMatchObject(kinds.map(() => ({ payload: { exp: 0 }, uid_hash: null })));
    expect((await database.query(rows)).rows).toEqual(here);
  });

  it('restores no record into a live store in which all of them ended', async () => {
    await database.query(`INSERT INTO authority.credential VALUES ('ada', 'changed')`);
    const [records] = await restoreAuthority();
    expect(records).toEqual([]);
  });

  const proofs = async (): Promise<readonly string[]> => {
    const sql = `SELECT actor_id || ' ' || password_hash || ' ' || coalesce(address_proof, 'none') AS row
      FROM authority.credential ORDER BY 1`;
    return (await database.query<{ row: string }>(sql)).rows.map(({ row }) => row);
  };
  const restoreProofs = async (...rows: string[][]): Promise<readonly string[]> => {
    const kept = newPreRestoreCopy();
    const file = fileOf('authority.credential', ['actor_id', 'password_hash', 'address_proof'], ...rows);
    await restoreTables(database, 'authority', [file], kept, () => undefined);
    await keepNewerCredentials(database, kept);
    return proofs();
  };
  const none = String.raw`\N`;

  it('keeps a proof of an address as it keeps the password, and of two proofs of one address that of now', async () => {
    await database.query(`INSERT INTO authority.credential VALUES
      ('ada', 'changed', 'second'), ('bob', 'here', NULL), ('cleo', 'here', 'of-dora'), ('later', 'new', 'of-eve')`);
    expect(
      await restoreProofs(
        ['ada', 'as it was', 'first'],
        ['bob', 'as it was', 'of-bob'],
        ['cleo', 'as it was', 'of-cleo'],
        ['dora', 'as it was', 'of-dora'],
        ['eve', 'as it was', 'of-eve'],
        ['fay', 'as it was', 'of-fay'],
        ['gil', 'as it was', none],
      ),
    ).toEqual([
      'ada changed second',
      'bob here none',
      'cleo here of-dora',
      'dora as it was none',
      'eve as it was none',
      'fay as it was of-fay',
      'gil as it was none',
      'later new of-eve',
    ]);
  });

  it('keeps proofs that two people exchanged since', async () => {
    await database.query(`INSERT INTO authority.credential VALUES ('ada', 'a', 'two'), ('bob', 'b', 'one')`);
    expect(await restoreProofs(['ada', 'a', 'one'], ['bob', 'b', 'two'])).toEqual(['ada a two', 'bob b one']);
  });

  it('restores proofs into an empty store, and from a backup of the release before', async () => {
    expect(await restoreProofs(['ada', 'a', 'one'])).toEqual(['ada a one']);
    await restoreTables(
      database,
      'authority',
      [fileOf('authority.credential', ['actor_id', 'password_hash'], ['ada', 'a'])],
      newPreRestoreCopy(),
      () => undefined,
    );
    expect(await proofs()).toEqual(['ada a none']);
  });

  const strict = { passkeys: [{ id: 'one' }], codes: ['c'] };
  const removed = { passkeys: [{ id: 'two' }] };
  const noFactors = { passkeys: [] };

  it('keeps passkeys and recovery codes as it keeps the password', async () => {
    await database.query(
      `INSERT INTO authority.credential (actor_id, password_hash, factors)
      VALUES ('ada', 'changed', $1), ('bob', 'here', DEFAULT), ('later', 'new', $2)`,
      [removed, strict],
    );
    const kept = newPreRestoreCopy();
    const file = fileOf(
      'authority.credential',
      ['actor_id', 'password_hash', 'factors'],
      ...['ada', 'bob', 'cleo'].map((actorId) => [actorId, 'as it was', JSON.stringify(strict)]),
    );
    await restoreTables(database, 'authority', [file], kept, () => undefined);
    await keepNewerCredentials(database, kept);
    const { rows } = await database.query(
      'SELECT actor_id, password_hash, factors FROM authority.credential ORDER BY 1',
    );
    expect(rows).toEqual([
      // A passkey that was removed since stays removed.
      { actor_id: 'ada', password_hash: 'changed', factors: removed },
      { actor_id: 'bob', password_hash: 'here', factors: noFactors },
      { actor_id: 'cleo', password_hash: 'as it was', factors: strict },
      { actor_id: 'later', password_hash: 'new', factors: strict },
    ]);
  });

  it('keeps passkeys over a backup of the release before, which has none', async () => {
    await database.query(
      `INSERT INTO authority.credential (actor_id, password_hash, factors) VALUES ('ada', 'changed', $1)`,
      [strict],
    );
    await restoreAuthority();
    const { rows } = await database.query('SELECT actor_id, factors FROM authority.credential ORDER BY 1');
    expect(rows).toEqual([
      { actor_id: 'ada', factors: strict },
      { actor_id: 'bob', factors: noFactors },
    ]);
  });

  it('restores everything into an empty store', async () => {
    expect(await restoreAuthority()).toEqual([
      ['01', '02', '03'].map((hash) => ({ hash, spent: false })),
      ['ada as it was', 'app 0a', 'bob as it was', 'lost 0b'],
    ]);
  });
});

describe('restoring the witness', () => {
  const columns = { ledger: ['line', 'text', 'hash'], head: ['singleton', 'line', 'hash', 'epoch'] };
  const hashOf = (history: string, line: number) =>
    String.raw`\\x` + Buffer.from(`${history}${line}`.padEnd(32)).toString('hex');
  /** A backup of a chain with this length. Chains of one history begin with the same lines. */
  const chain = (history: string, length: number) => [
    fileOf(
      'public.ledger',
      columns.ledger,
      ...Array.from({ length }, (_, n) => [String(n + 1), '{}', hashOf(history, n + 1)]),
    ),
    fileOf('public.head', columns.head, ['t', String(length), hashOf(history, length), '0']),
  ];
  let witness: Client;

  beforeAll(async () => {
    const url = await postgres.createDatabase();
    await (await openReadyWitness(url)).close();
    witness = new Client(url);
    await witness.connect();
  });
  afterAll(() => witness?.end());

  async function restoreWitnessOver(
    here: ReturnType<typeof chain>,
    backup: ReturnType<typeof chain>,
  ): Promise<void> {
    await restoreTables(witness, 'witness', here, newPreRestoreCopy(), () => undefined);
    const kept = newPreRestoreCopy();
    await restoreTables(witness, 'witness', backup, kept, () => undefined);
    await refuseMissingRestrictions(witness, kept, { parts: ['read', 'vault', 'witness'], isLogHere: false });
  }

  it('accepts a chain that equals or continues the current one', async () => {
    await expect(restoreWitnessOver(chain('a', 2), chain('a', 2))).resolves.toBeUndefined();
    await expect(restoreWitnessOver(chain('a', 2), chain('a', 5))).resolves.toBeUndefined();
  });

  it('refuses a shorter chain', async () => {
    await expect(restoreWitnessOver(chain('a', 5), chain('a', 2))).rejects.toThrow(
      /since the backup \(3 lines more\)/,
    );
  });

  it('advises to restore the other requested parts, but not a log on its own server', async () => {
    await expect(restoreWitnessOver(chain('a', 5), chain('a', 2))).rejects.toThrow(
      /: leave the witness out \(--parts read,vault\), and plaza recovery apply re-applies it$/,
    );
  });

  it.each([2, 5])('refuses a chain with another history, of %i lines instead of 2', async (length) => {
    await expect(restoreWitnessOver(chain('a', 2), chain('b', length))).rejects.toThrow(
      /has another history/,
    );
  });
});
