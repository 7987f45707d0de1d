/** @waits */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { restrictions } from '../../projections/restrictions/restrictions.projection.js';
import {
  readAcceptedRestrictions,
  readRestrictionContent,
} from '../../projections/incarnations/detect/read-ledgers.js';
import { describeDifferences } from '../../projections/incarnations/detect/difference.js';
import {
  appliedAfter,
  compareAppliedRestrictions,
} from '../../projections/incarnations/detect/incremental-comparison.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { deletionOf } from './support/restrictions.js';
import { WitnessBench } from './support/witness-bench.js';

/** Several blocks of each size of the comparison, and a rest. */
const COUNT = 41_000;

let postgres: TestPostgres;
let bench: WitnessBench;
let witness: Witness;
let readStore: Client;

beforeAll(async () => {
  postgres = await startTestPostgres();
  bench = await WitnessBench.open(postgres);
  ({ witness } = bench);
  // All have the content of the first, with their own ids.
  await bench.finalized(deletionOf('p'));
  await bench.database.query(
    `INSERT INTO restriction SELECT n, md5(n::text)::uuid, state, hash, position, prepared_at, content
    FROM restriction, generate_series(2, ${COUNT}) AS n`,
  );
  const { rows } = await bench.database.query<{ epoch: string; id: string }>(
    'SELECT epoch, id FROM restriction',
  );
  readStore = new Client({ connectionString: await postgres.createDatabase() });
  await readStore.connect();
  await readStore.query(
    `CREATE SCHEMA recovery; CREATE TABLE recovery.outstanding_restriction (event_id uuid, witness_epoch numeric);
    CREATE SCHEMA shown; SET search_path = shown; ${restrictions.tables}; ${restrictions.indexes}`,
  );
  await readStore.query(
    `INSERT INTO restriction SELECT id, epoch, 1 FROM json_to_recordset($1) AS row(id uuid, epoch numeric)`,
    [JSON.stringify(rows)],
  );
});

afterAll(async () => {
  await readStore?.end();
  await bench?.close();
  await postgres?.stop();
});

/** The reason to refuse reads after this change of the read models, if any. */
async function reasonAfter(statement: string, log = new MemoryLog()): Promise<string | undefined> {
  await readStore.query(`BEGIN; ${statement}`);
  try {
    return describeDifferences(
      await compareAppliedRestrictions({ witness, log, database: readStore, schema: 'shown' }),
    );
  } finally {
    await readStore.query('ROLLBACK');
  }
}

describe('among very many restrictions', () => {
  it('none is missing where the read models show all, and the log is not read', async () => {
    const log = new MemoryLog();
    log.setDown(true);
    expect(await reasonAfter('', log)).toBeUndefined();
  });

  it.each([1, 1_000, 5_001, 30_000, COUNT])('number %i is found if it alone is missing', async (epoch) => {
    expect(await reasonAfter(`DELETE FROM restriction WHERE witness_epoch = ${epoch}`)).toMatch(
      new RegExp(`^The log lacks restriction number ${epoch},`),
    );
  });

  it.each([7, 30_000, COUNT + 1, COUNT * 2])(
    'one that the witness lacks is found by its number %i',
    async (epoch) => {
      const added = `INSERT INTO restriction VALUES (gen_random_uuid(), ${epoch}, 1)`;
      expect(await reasonAfter(added)).toMatch(new RegExp(`^The witness lacks restriction number ${epoch},`));
    },
  );

  it('one in the place of another is found as missing and as unknown to the witness', async () => {
    const other = 'UPDATE restriction SET event_id = gen_random_uuid() WHERE witness_epoch = 30000';
    expect(await reasonAfter(other)).toMatch(
      /log lacks restriction number 30000,.*witness lacks restriction number 30000,/,
    );
  });

  it('two that swapped numbers both count as present', async () => {
    const exchanged = `UPDATE restriction SET witness_epoch = 20007 - witness_epoch WHERE witness_epoch IN (7, 20000)`;
    expect(await reasonAfter(exchanged)).toBeUndefined();
  });

  it('the witness reads at most a thousand contents at a time', async () => {
    const wanted = await readAcceptedRestrictions(witness);
    const find = jest.spyOn(witness, 'find');
    const epochs: bigint[] = [];
    try {
      for await (const page of readRestrictionContent(witness, wanted.slice(0, 12_500), 10_000))
        epochs.push(...page.map(({ epoch }) => epoch));
      expect(Math.max(...find.mock.calls.map(([ids]) => ids.length))).toBe(1_000);
    } finally {
      find.mockRestore();
    }
    expect(epochs).toEqual(wanted.slice(0, 12_500).map(({ epoch }) => epoch));
  });

  it('the applied ones are read in pages, even if two have one number', async () => {
    await readStore.query('BEGIN; UPDATE restriction SET witness_epoch = 20000 WHERE witness_epoch = 20001');
    try {
      const sizes: number[] = [];
      const ids = new Set<string>();
      for await (const page of appliedAfter(readStore, 'shown', 1n)) {
        sizes.push(page.size);
        for (const id of page.keys()) ids.add(id);
      }
      expect([sizes, ids.size]).toEqual([[20_000, 20_000, 999], COUNT - 1]);
    } finally {
      await readStore.query('ROLLBACK');
    }
  });

  it('one beside a gap in the numbers is found, before and after the gap', async () => {
    const gap = 'BETWEEN 1501 AND 29999';
    const become = (state: string) =>
      bench.database.query(`UPDATE restriction SET state = '${state}' WHERE epoch ${gap}`);
    await become('withdrawn');
    try {
      const without = `DELETE FROM restriction WHERE witness_epoch ${gap}`;
      expect(await reasonAfter(without)).toBeUndefined();
      for (const epoch of [1_500, 30_000])
        expect(await reasonAfter(`${without} OR witness_epoch = ${epoch}`)).toMatch(
          new RegExp(`^The log lacks restriction number ${epoch},`),
        );
    } finally {
      await become('finalized');
    }
  });
});
