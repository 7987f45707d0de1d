import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { restrictionHash } from '../../src/log/witness/canonical.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import { WitnessMismatch, WitnessRequired } from '../../src/log/witness/witness.js';
import type { Restriction, Witness } from '../../src/log/witness/witness.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { deletionOf } from './support/restrictions.js';
import { proofOf, WitnessBench } from './support/witness-bench.js';

let postgres: TestPostgres;
let bench: WitnessBench;
let witness: Witness;
let other: Witness;
let database: Client;

beforeAll(async () => {
  postgres = await startTestPostgres();
});

beforeEach(async () => {
  bench = await WitnessBench.open(postgres);
  ({ witness, other, database } = bench);
});

afterEach(() => bench?.close());
afterAll(() => postgres?.stop());

const stateOf = (restriction: Restriction) => bench.stateOf(restriction);
const recordFinalized = (restriction: Restriction, position?: bigint) =>
  bench.finalized(restriction, position);

describe('a restriction', () => {
  it('is prepared, accepted and finalized, and reads back unchanged', async () => {
    const restriction = deletionOf('p');
    expect(await witness.prepare(restriction, 1)).toMatchObject({ epoch: 1n, state: 'prepared' });
    await witness.accept(restriction.id, proofOf(restriction), 2);
    expect(await stateOf(restriction)).toBe('accepted');
    await witness.finalize(restriction.id, 3);
    expect(await witness.after(0n, 10)).toEqual([
      {
        epoch: 1n,
        state: 'finalized',
        hash: restrictionHash(restriction),
        position: 7n,
        preparedAt: 1,
        restriction,
      },
    ]);
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it('that was prepared before is returned to whichever process prepares it again', async () => {
    const first = deletionOf('p');
    await witness.prepare(first, 1);
    const again = { ...first, metadata: { ...first.metadata, requestId: 'a later one' } };
    expect(await other.prepare(again, 99)).toMatchObject({ epoch: 1n, preparedAt: 1, restriction: first });
  });

  it('with other content under the same id is refused, and leaves no trace', async () => {
    const first = deletionOf('p', { payloadHash: 'revision 1' });
    await witness.prepare(first, 1);
    const another = { ...first, metadata: { ...first.metadata, payloadHash: 'revision 2' } };
    await expect(other.prepare(another, 2)).rejects.toThrow(WitnessMismatch);
    await expect(other.accept(first.id, proofOf(another), 2)).rejects.toThrow('other content');
    expect(await witness.firstBroken()).toBeUndefined();
    expect((await database.query('SELECT line FROM ledger')).rows).toHaveLength(1);
  });

  it('is not finalized before it is accepted, not accepted at two positions, and not accepted unless prepared', async () => {
    const restriction = deletionOf('p');
    await expect(witness.accept(restriction.id, proofOf(restriction), 1)).rejects.toThrow('knows nothing');
    await witness.prepare(restriction, 1);
    await expect(witness.finalize(restriction.id, 2)).rejects.toThrow('only accepted ones');
    await witness.accept(restriction.id, proofOf(restriction, 7n), 2);
    await expect(witness.accept(restriction.id, proofOf(restriction, 8n), 3)).rejects.toThrow('position 7');
  });

  it('that is finalized stays so, however often a step is repeated', async () => {
    const restriction = deletionOf('p');
    await recordFinalized(restriction);
    await witness.accept(restriction.id, proofOf(restriction), 4);
    await witness.finalize(restriction.id, 5);
    await witness.withdraw(restriction.id, 6);
    expect(await stateOf(restriction)).toBe('finalized');
    expect((await database.query('SELECT line FROM ledger')).rows).toHaveLength(3);
  });

  it('whose writer was slower than its withdrawal is restored under its number', async () => {
    const [slow, repeated] = [deletionOf('p'), deletionOf('q')];
    for (const each of [slow, repeated]) {
      await witness.prepare(each, 1);
      await witness.withdraw(each.id, 2);
    }
    expect(await witness.after(0n, 10)).toEqual([]);
    await witness.accept(slow.id, proofOf(slow), 3);
    expect(await witness.prepare(repeated, 3)).toMatchObject({ epoch: 2n, state: 'prepared' });
    expect(await witness.after(0n, 10)).toMatchObject([{ epoch: 1n, state: 'accepted' }]);
  });

  it('is listed by age until it is settled', async () => {
    const [old, young, settled] = [deletionOf('p'), deletionOf('q'), deletionOf('r')];
    await recordFinalized(settled);
    await witness.prepare(old, 1_000);
    await witness.prepare(young, 5_000);
    expect(await witness.unsettled(5_000, 0n, 10)).toMatchObject([{ restriction: old }]);
    expect(await witness.unsettled(9_000, 2n, 10)).toMatchObject([{ restriction: young }]);
  });

  it('is listed as an erasure once it is accepted', async () => {
    await recordFinalized(deletionOf('p'));
    const data = { actorId: 'ada', at: 1 };
    const erasure = {
      ...deletionOf('q'),
      stream: 'account-ada',
      event: { type: 'account.erased', data },
    } as const;
    await witness.prepare(erasure, 1);
    expect(await witness.erasures(0n, 10)).toEqual([]);
    await witness.accept(erasure.id, proofOf(erasure), 2);
    expect(await witness.erasures(0n, 10)).toMatchObject([{ restriction: erasure }]);
    expect(await witness.erasures(2n, 10)).toEqual([]);
  });

  it('is moved to the position at which a recovery appended it', async () => {
    const restriction = deletionOf('p');
    await recordFinalized(restriction, 7n);
    await witness.move(restriction.id, proofOf(restriction, 3n), 4);
    expect(await witness.after(0n, 10)).toMatchObject([{ state: 'finalized', position: 3n }]);
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it('is reseeded under its old number into a witness that lost it, unless another restriction has that number', async () => {
    const [lost, clash] = [deletionOf('p'), deletionOf('q')];
    const place = { position: 70n, epoch: 5n, after: 0n };
    expect(await witness.reseed(lost, place, 1)).toMatchObject({ epoch: 5n, state: 'finalized' });
    expect(await witness.reseed(lost, place, 1)).toMatchObject({ epoch: 5n });
    expect(await witness.reseed(clash, place, 1)).toMatchObject({ epoch: 6n, position: 70n });
    expect(await witness.prepare(deletionOf('r'), 2)).toMatchObject({ epoch: 7n });
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it('is reseeded under a new number where its old one would break the order of the log', async () => {
    const restriction = deletionOf('p');
    await recordFinalized(restriction, 7n);
    const place = { position: 7n, epoch: 1n, after: 0n };
    expect(await witness.reseed(restriction, place, 4)).toMatchObject({ epoch: 1n });
    await recordFinalized(deletionOf('q'), 8n);
    expect(await witness.reseed(restriction, { ...place, after: 2n }, 4)).toMatchObject({ epoch: 3n });
    expect((await witness.after(0n, 10)).map(({ epoch }) => epoch)).toEqual([2n, 3n]);
    expect(await witness.firstBroken()).toBeUndefined();
  });
});

describe('the ledger', () => {
  it.each(['UPDATE ledger SET text = text', 'DELETE FROM ledger', 'TRUNCATE ledger'])(
    'is append-only: %s',
    async (statement) => {
      await witness.prepare(deletionOf('p'), 1);
      await expect(database.query(statement)).rejects.toThrow('only ever added to');
    },
  );

  it('is unchanged after a failed write, and accepts the next one', async () => {
    const [first, second] = [deletionOf('p'), deletionOf('q')];
    await witness.prepare(first, 1);
    await database.query('ALTER TABLE ledger ADD CONSTRAINT full_up CHECK (line < 2)');
    await expect(witness.prepare(second, 1)).rejects.toThrow('full_up');
    await database.query('ALTER TABLE ledger DROP CONSTRAINT full_up');
    expect(await witness.prepare(second, 1)).toMatchObject({ epoch: 2n });
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it.each([
    ['an altered line', `UPDATE ledger SET text = replace(text, 'ada', 'bob') WHERE line = 4`, 4n],
    ['a removed line', 'DELETE FROM ledger WHERE line = 2', 2n],
    ['a truncated end', 'DELETE FROM ledger WHERE line = 6', 6n],
    ['an altered row', `UPDATE restriction SET state = 'withdrawn' WHERE epoch = 2`, 6n],
    ['a removed row', 'DELETE FROM restriction WHERE epoch = 1', 3n],
    [
      'an inserted row',
      `INSERT INTO restriction SELECT 9, gen_random_uuid(), state, hash, position, prepared_at, content
       FROM restriction WHERE epoch = 1`,
      1n,
    ],
  ])('reveals %s, even if its protection was switched off', async (_what, statement, line) => {
    await recordFinalized(deletionOf('p'));
    await recordFinalized(deletionOf('q'), 8n);
    await database.query('ALTER TABLE ledger DISABLE TRIGGER only_added_to');
    await database.query(statement);
    expect(await witness.firstBroken()).toBe(line);
  });
});

describe('a process', () => {
  it('has left the server once its witness is closed', async () => {
    const applicationName = 'leaving';
    for (let times = 0; times < 10; times++) {
      const leaving = openWitness({ url: bench.url, applicationName });
      const there = 'SELECT FROM pg_stat_activity WHERE application_name = $1';
      await leaving.find([]);
      // Those of its migrations end by themselves, a moment later.
      await until(async () => (await database.query(there, [applicationName])).rowCount === 1);
      await Promise.all([leaving.find([]), leaving.after(0n, 1), leaving.firstBroken()]);
      await leaving.close();
      expect((await database.query(there, [applicationName])).rows).toEqual([]);
    }
  });
});

describe('a witness without an address', () => {
  it('refuses every call', async () => {
    const none = openWitness({ url: undefined, applicationName: 'none' });
    await expect(none.prepare(deletionOf('p'), 1)).rejects.toThrow(WitnessRequired);
    await none.close();
  });
});
