import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { pino } from 'pino';
import { LogUnavailable } from '../../src/log/event-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { restrictionHash } from '../../src/recovery/witness/canonical.js';
import { openWitness } from '../../src/recovery/witness/open-witness.js';
import { Settler } from '../../src/recovery/witness/settler.js';
import { WitnessMismatch, WitnessRequired, WitnessUnavailable } from '../../src/recovery/witness/witness.js';
import type { Restriction, Witness } from '../../src/recovery/witness/witness.js';
import { startTestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { deletionOf } from './support/restrictions.js';

let postgres: TestPostgres;
let url: string;
let database: Client;
let witness: Witness;
let other: Witness;

beforeAll(async () => {
  postgres = await startTestPostgres();
}, 60_000);

beforeEach(async () => {
  await Promise.all([witness?.close(), other?.close(), database?.end()]);
  url = await postgres.createDatabase();
  witness = openWitness({ url, applicationName: 'one' });
  other = openWitness({ url, applicationName: 'other' });
  database = new Client({ connectionString: url });
  await database.connect();
});

afterAll(async () => {
  await Promise.all([witness?.close(), other?.close(), database?.end()]);
  await postgres?.stop();
});

const proof = (restriction: Restriction, position = 7n) => ({ hash: restrictionHash(restriction), position });
const stateOf = async ({ id }: Restriction) => (await witness.find([id])).get(id)?.state;

async function finalized(restriction: Restriction, position = 7n): Promise<void> {
  await witness.prepare(restriction, 1);
  await witness.accept(restriction.id, proof(restriction, position), 2);
  await witness.finalize(restriction.id, 3);
}

describe('a restriction', () => {
  it('is prepared, accepted and finalized, and can be read again word for word', async () => {
    const restriction = deletionOf('p');
    expect(await witness.prepare(restriction, 1)).toMatchObject({ epoch: 1n, state: 'prepared' });
    await witness.accept(restriction.id, proof(restriction), 2);
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

  it('that was prepared before is the one that is to be appended, whoever prepared it', async () => {
    const first = deletionOf('p');
    await witness.prepare(first, 1);
    const again = { ...first, metadata: { ...first.metadata, requestId: 'a later one' } };
    expect(await other.prepare(again, 99)).toMatchObject({ epoch: 1n, preparedAt: 1, restriction: first });
  });

  it('of other content under the same id is refused, and leaves no trace', async () => {
    const first = deletionOf('p', { payloadHash: 'revision 1' });
    await witness.prepare(first, 1);
    const another = { ...first, metadata: { ...first.metadata, payloadHash: 'revision 2' } };
    await expect(other.prepare(another, 2)).rejects.toThrow(WitnessMismatch);
    await expect(other.accept(first.id, proof(another), 2)).rejects.toThrow('other content');
    expect(await witness.firstBroken()).toBeUndefined();
    expect((await database.query('SELECT line FROM ledger')).rows).toHaveLength(1);
  });

  it('is not finalized before it was accepted, nor accepted at two positions, nor at all if nobody prepared it', async () => {
    const restriction = deletionOf('p');
    await expect(witness.accept(restriction.id, proof(restriction), 1)).rejects.toThrow('knows nothing');
    await witness.prepare(restriction, 1);
    await expect(witness.finalize(restriction.id, 2)).rejects.toThrow('only accepted ones');
    await witness.accept(restriction.id, proof(restriction, 7n), 2);
    await expect(witness.accept(restriction.id, proof(restriction, 8n), 3)).rejects.toThrow('position 7');
  });

  it('that is settled stays as it is, however often a step is repeated', async () => {
    const restriction = deletionOf('p');
    await finalized(restriction);
    await witness.accept(restriction.id, proof(restriction), 4);
    await witness.finalize(restriction.id, 5);
    await witness.withdraw(restriction.id, 6);
    expect(await stateOf(restriction)).toBe('finalized');
    expect((await database.query('SELECT line FROM ledger')).rows).toHaveLength(3);
  });

  it('whose writer was slower than its withdrawal comes to life again, under its number', async () => {
    const [slow, repeated] = [deletionOf('p'), deletionOf('q')];
    for (const each of [slow, repeated]) {
      await witness.prepare(each, 1);
      await witness.withdraw(each.id, 2);
    }
    expect(await witness.after(0n, 10)).toEqual([]);
    await witness.accept(slow.id, proof(slow), 3);
    expect(await witness.prepare(repeated, 3)).toMatchObject({ epoch: 2n, state: 'prepared' });
    expect(await witness.after(0n, 10)).toMatchObject([{ epoch: 1n, state: 'accepted' }]);
  });

  it('is found while it is not settled, by its age', async () => {
    const [old, young, settled] = [deletionOf('p'), deletionOf('q'), deletionOf('r')];
    await finalized(settled);
    await witness.prepare(old, 1_000);
    await witness.prepare(young, 5_000);
    expect(await witness.unsettled(5_000, 0n, 10)).toMatchObject([{ restriction: old }]);
    expect(await witness.unsettled(9_000, 2n, 10)).toMatchObject([{ restriction: young }]);
  });

  it('is found by what it does, where that is an erasure', async () => {
    await finalized(deletionOf('p'));
    const data = { actorId: 'ada', at: 1 };
    const erasure = {
      ...deletionOf('q'),
      stream: 'account-ada',
      event: { type: 'account.erased', data },
    } as const;
    await witness.prepare(erasure, 1);
    expect(await witness.erasures(0n, 10)).toEqual([]);
    await witness.accept(erasure.id, proof(erasure), 2);
    expect(await witness.erasures(0n, 10)).toMatchObject([{ restriction: erasure }]);
    expect(await witness.erasures(2n, 10)).toEqual([]);
  });

  it('is moved to where a recovery has put it', async () => {
    const restriction = deletionOf('p');
    await finalized(restriction, 7n);
    await witness.move(restriction.id, proof(restriction, 3n), 4);
    expect(await witness.after(0n, 10)).toMatchObject([{ state: 'finalized', position: 3n }]);
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it('is put back under its number into a witness that has lost it, unless another has that', async () => {
    const [lost, clash] = [deletionOf('p'), deletionOf('q')];
    const place = { position: 70n, epoch: 5n, after: 0n };
    expect(await witness.reseed(lost, place, 1)).toMatchObject({ epoch: 5n, state: 'finalized' });
    expect(await witness.reseed(lost, place, 1)).toMatchObject({ epoch: 5n });
    expect(await witness.reseed(clash, place, 1)).toMatchObject({ epoch: 6n, position: 70n });
    expect(await witness.prepare(deletionOf('r'), 2)).toMatchObject({ epoch: 7n });
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it('has another number where its own would put it before what it comes behind in the log', async () => {
    const restriction = deletionOf('p');
    await finalized(restriction, 7n);
    const place = { position: 7n, epoch: 1n, after: 0n };
    expect(await witness.reseed(restriction, place, 4)).toMatchObject({ epoch: 1n });
    await finalized(deletionOf('q'), 8n);
    expect(await witness.reseed(restriction, { ...place, after: 2n }, 4)).toMatchObject({ epoch: 3n });
    expect((await witness.after(0n, 10)).map(({ epoch }) => epoch)).toEqual([2n, 3n]);
    expect(await witness.firstBroken()).toBeUndefined();
  });
});

describe('two processes', () => {
  it('that prepare the same restriction at once have one', async () => {
    const restriction = deletionOf('p');
    const prepared = await Promise.all(
      [witness, other, witness, other].map((w) => w.prepare(restriction, 1)),
    );
    expect(new Set(prepared.map(({ epoch }) => epoch))).toEqual(new Set([1n]));
  });

  it('that write fifty at once write one chain', async () => {
    const all = Array.from({ length: 50 }, (_, n) => deletionOf(`p${n}`));
    await Promise.all(
      all.map(async (restriction, n) => {
        const mine = n % 2 === 0 ? witness : other;
        await mine.prepare(restriction, 1);
        await mine.accept(restriction.id, proof(restriction, BigInt(n)), 2);
        await mine.finalize(restriction.id, 3);
      }),
    );
    const epochs = (await witness.after(0n, 100)).map(({ epoch }) => epoch);
    expect(epochs).toEqual(Array.from({ length: 50 }, (_, n) => BigInt(n + 1)));
    expect((await database.query('SELECT line FROM ledger')).rows).toHaveLength(150);
    expect(await other.firstBroken()).toBeUndefined();
  });

  it('restrict and look while all that is done alone is under way', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const works = ['settle', 'erasures'].map((name) => witness.alone(name, () => promise));
    const restriction = deletionOf('p');
    await Promise.all([finalized(restriction), witness.after(0n, 1), witness.firstBroken()]);
    expect(await stateOf(restriction)).toBe('finalized');
    resolve();
    expect(await Promise.all(works)).toEqual([true, true]);
  });

  it('tell what went wrong with such work as it is, though a store of its own be away', async () => {
    const away = new LogUnavailable('x', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    await expect(witness.alone('settle', () => Promise.reject(away))).rejects.toBe(away);
    expect(await other.alone('settle', () => Promise.resolve())).toBe(true);
  });

  it('do not do the same work at the same time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = witness.alone('settle', () => {
      begun.resolve();
      return promise;
    });
    await begun.promise;
    expect(await other.alone('settle', () => Promise.reject(new Error('twice')))).toBe(false);
    resolve();
    expect(await first).toBe(true);
    expect(await other.alone('settle', () => Promise.resolve())).toBe(true);
  });
});

describe('the ledger', () => {
  it.each(['UPDATE ledger SET text = text', 'DELETE FROM ledger', 'TRUNCATE ledger'])(
    'is only ever added to: %s',
    async (statement) => {
      await witness.prepare(deletionOf('p'), 1);
      await expect(database.query(statement)).rejects.toThrow('only ever added to');
    },
  );

  it('is as it was after a step that could not be written, and takes the next one', async () => {
    const [first, second] = [deletionOf('p'), deletionOf('q')];
    await witness.prepare(first, 1);
    await database.query('ALTER TABLE ledger ADD CONSTRAINT full_up CHECK (line < 2)');
    await expect(witness.prepare(second, 1)).rejects.toThrow('full_up');
    await database.query('ALTER TABLE ledger DROP CONSTRAINT full_up');
    expect(await witness.prepare(second, 1)).toMatchObject({ epoch: 2n });
    expect(await witness.firstBroken()).toBeUndefined();
  });

  it.each([
    ['a line that was altered', `UPDATE ledger SET text = replace(text, 'ada', 'bob') WHERE line = 4`, 4n],
    ['a line that was removed', 'DELETE FROM ledger WHERE line = 2', 2n],
    ['an end that was cut off', 'DELETE FROM ledger WHERE line = 6', 6n],
    ['a row that was altered', `UPDATE restriction SET state = 'withdrawn' WHERE epoch = 2`, 6n],
    ['a row that was removed', 'DELETE FROM restriction WHERE epoch = 1', 3n],
    [
      'a row that was put in',
      `INSERT INTO restriction SELECT 9, gen_random_uuid(), state, hash, position, prepared_at, content
       FROM restriction WHERE epoch = 1`,
      1n,
    ],
  ])('shows %s, though whoever did it could switch its protection off', async (_what, statement, line) => {
    await finalized(deletionOf('p'));
    await finalized(deletionOf('q'), 8n);
    await database.query('ALTER TABLE ledger DISABLE TRIGGER only_added_to');
    await database.query(statement);
    expect(await witness.firstBroken()).toBe(line);
  });
});

describe('what was left half-way', () => {
  let shown: ReadonlySet<string> = new Set();
  const settlerOn = (log: MemoryLog) =>
    new Settler({
      log,
      witness,
      shown: () => Promise.resolve(shown),
      now: Date.now,
      logger: pino({ level: 'silent' }),
    });

  it('is settled by a process that starts: withdrawn, if the log has nothing of it', async () => {
    const [old, young, accepted] = [deletionOf('p'), deletionOf('q'), deletionOf('r')];
    await witness.prepare(old, Date.now() - 31_000);
    await witness.prepare(young, Date.now());
    await witness.prepare(accepted, Date.now() - 31_000);
    await witness.accept(accepted.id, proof(accepted), 2);
    const settler = settlerOn(new MemoryLog());
    settler.start();
    await until(async () => (await stateOf(old)) === 'withdrawn');
    await settler.stop();
    // It may be under way; and what was accepted is for a recovery to bring back.
    expect([await stateOf(young), await stateOf(accepted)]).toEqual(['prepared', 'accepted']);
  });

  it('is left as it is while the log does not answer', async () => {
    const log = new MemoryLog();
    log.setDown(true);
    const restriction = deletionOf('p');
    await witness.prepare(restriction, 1);
    await expect(settlerOn(log).settleBefore(Date.now())).rejects.toThrow(LogUnavailable);
    expect(await stateOf(restriction)).toBe('prepared');
  });

  it('is finalized where the log has it, whoever died', async () => {
    const log = new MemoryLog();
    const [recorded] = log.add({
      type: 'post.deleted',
      data: { postId: 'p', authorActorId: 'ada', at: 1 },
    });
    const { id, stream, event, metadata, position } = recorded as Recorded<RestrictionEvent>;
    await witness.prepare({ id, stream, event, metadata }, 1);
    await settlerOn(log).settleBefore(Date.now());
    expect((await witness.find([id])).get(id)).toMatchObject({ state: 'finalized', position });
  });

  it('is finalized although it was withdrawn, once read models show that the log has it: its writer froze, and died', async () => {
    const log = new MemoryLog();
    const [recorded] = log.add({
      type: 'post.deleted',
      data: { postId: 'p', authorActorId: 'ada', at: 1 },
    });
    const { id, stream, event, metadata } = recorded as Recorded<RestrictionEvent>;
    const gone = deletionOf('q');
    for (const each of [{ id, stream, event, metadata }, gone]) {
      await witness.prepare(each, 1);
      await witness.withdraw(each.id, 2);
    }
    shown = new Set([id]);
    await settlerOn(log).settleBefore(Date.now());
    expect((await witness.find([id])).get(id)).toMatchObject({ state: 'finalized' });
    expect(await stateOf(gone)).toBe('withdrawn');
  });
});

describe('a witness that hangs', () => {
  let proxy: TcpProxy;
  let far: Witness;

  beforeEach(async () => {
    proxy = await startTcpProxy(Number(new URL(url).port));
    far = openWitness({ url: url.replace(/:[0-9]+\//, `:${proxy.port}/`), applicationName: 'far' });
  });

  afterEach(async () => {
    await far.close();
    await proxy.close();
  });

  it('is one that is away, and works again when it is back', async () => {
    const restriction = deletionOf('p');
    await until(() =>
      far.prepare(restriction, 1).then(
        () => true,
        () => false,
      ),
    );
    proxy.loseAnswers();
    await expect(far.accept(restriction.id, proof(restriction), 2)).rejects.toThrow(WitnessUnavailable);
    await expect(far.after(0n, 1)).rejects.toThrow(WitnessUnavailable);
    proxy.mend();
    await far.accept(restriction.id, proof(restriction), 2);
    await far.finalize(restriction.id, 3);
    expect(await stateOf(restriction)).toBe('finalized');
  });
});

describe('a witness that was emptied while processes use it', () => {
  it('is one that is away, and then one that knows nothing', async () => {
    await finalized(deletionOf('p'));
    await database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await expect(witness.after(0n, 10)).rejects.toBeInstanceOf(WitnessUnavailable);
    expect(await witness.after(0n, 10)).toEqual([]);
    await finalized(deletionOf('q'));
  });
});

describe('a witness whose connections break', () => {
  const ofOne = `FROM pg_stat_activity WHERE application_name = 'one'`;

  it('is one that is away, whatever is held at that moment, and works again at once', async () => {
    await witness.prepare(deletionOf('p'), 1);
    const broken = witness.alone('settle', async () => {
      await database.query(`SELECT pg_terminate_backend(pid) ${ofOne}`);
      await until(async () => (await database.query(`SELECT ${ofOne}`)).rows.length === 0);
      // An answer of another one comes later than what this one was told.
      await other.after(0n, 1);
    });
    await expect(broken).rejects.toThrow(WitnessUnavailable);
    expect(await witness.alone('settle', () => Promise.resolve())).toBe(true);
  });
});

describe('without an address', () => {
  it('every call is refused', async () => {
    const none = openWitness({ url: undefined, applicationName: 'none' });
    await expect(none.prepare(deletionOf('p'), 1)).rejects.toThrow(WitnessRequired);
    await none.close();
  });
});
