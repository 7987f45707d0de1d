import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { openWitness } from '../../src/log/witness/open-witness.js';
import { WitnessUnavailable } from '../../src/log/witness/witness.js';
import type { Restriction, Witness } from '../../src/log/witness/witness.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
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

describe('two processes', () => {
  it('that prepare the same restriction at once share one', async () => {
    const restriction = deletionOf('p');
    const prepared = await Promise.all(
      [witness, other, witness, other].map((w) => w.prepare(restriction, 1)),
    );
    expect(new Set(prepared.map(({ epoch }) => epoch))).toEqual(new Set([1n]));
  });

  it('that write fifty restrictions at once write one chain', async () => {
    const all = Array.from({ length: 50 }, (_, n) => deletionOf(`p${n}`));
    await Promise.all(
      all.map(async (restriction, n) => {
        const mine = n % 2 === 0 ? witness : other;
        await mine.prepare(restriction, 1);
        await mine.accept(restriction.id, proofOf(restriction, BigInt(n)), 2);
        await mine.finalize(restriction.id, 3);
      }),
    );
    const epochs = (await witness.after(0n, 100)).map(({ epoch }) => epoch);
    expect(epochs).toEqual(Array.from({ length: 50 }, (_, n) => BigInt(n + 1)));
    expect((await database.query('SELECT line FROM ledger')).rows).toHaveLength(150);
    expect(await other.firstBroken()).toBeUndefined();
  });
});

describe('a witness that hangs', () => {
  let proxy: TcpProxy;
  let far: Witness;

  beforeEach(async () => {
    proxy = await startTcpProxy(Number(new URL(bench.url).port));
    far = openWitness({ url: bench.url.replace(/:[0-9]+\//, `:${proxy.port}/`), applicationName: 'far' });
  });

  afterEach(async () => {
    await far.close();
    await proxy.close();
  });

  it('is reported as unavailable, and works again when it is back', async () => {
    const restriction = deletionOf('p');
    await until(() =>
      far.prepare(restriction, 1).then(
        () => true,
        () => false,
      ),
    );
    proxy.loseAnswers();
    await expect(far.accept(restriction.id, proofOf(restriction), 2)).rejects.toThrow(WitnessUnavailable);
    await expect(far.after(0n, 1)).rejects.toThrow(WitnessUnavailable);
    proxy.reset();
    await far.accept(restriction.id, proofOf(restriction), 2);
    await far.finalize(restriction.id, 3);
    expect(await stateOf(restriction)).toBe('finalized');
  });
});

describe('a witness that is emptied while processes use it', () => {
  it('is reported as unavailable once, then as empty', async () => {
    await recordFinalized(deletionOf('p'));
    await database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await expect(witness.after(0n, 10)).rejects.toBeInstanceOf(WitnessUnavailable);
    expect(await witness.after(0n, 10)).toEqual([]);
    await recordFinalized(deletionOf('q'));
  });
});
