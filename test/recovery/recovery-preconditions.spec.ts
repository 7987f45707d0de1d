import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { quarantine } from '../../projections/incarnations/incarnation.js';
import { some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { JobBench } from './support/job-bench.js';

let postgres: TestPostgres;
let jobs: JobBench;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  jobs = await JobBench.open(postgres);
  await quarantine(jobs.pool, (await jobs.publishedIncarnation()) ?? '', 'a test');
});
afterEach(() => jobs?.close());

/** Adds a restriction to the read models alone. */
const addToReadModels = async () =>
  jobs.pool.query(
    `INSERT INTO inc_${await jobs.publishedIncarnation()}.restriction (witness_epoch, event_id, position) VALUES (1, $1, 1)`,
    [randomUUID()],
  );

const status = async () => (await jobs.pool.query('SELECT status FROM recovery.publication')).rows;

/** The message of a failed recovery, requested before the check. */
async function failRecovery(reseedWitness = false): Promise<string | null> {
  const id = await jobs.request('recover', [], reseedWitness);
  jobs.startJobRunner();
  const { message } = await jobs.waitForState(id, 'failed');
  expect(await status()).toEqual([{ status: 'quarantined' }]);
  return message;
}

describe('a recovery publishes nothing', () => {
  it('from a witness that lacks restrictions of the log, unless reseeding was requested', async () => {
    jobs.log.addWitnessed(1, some.deletion('p'));
    expect(await failRecovery()).toContain('--reseed-witness');
    await jobs.waitForState(await jobs.request('recover', [], true), 'published');
  });

  it('from a log and a witness that both lack a restriction of the read models, whatever was requested', async () => {
    await addToReadModels();
    expect(await failRecovery()).toContain('Neither the log nor the witness knows 1 of the restrictions');
    expect(await failRecovery(true)).toContain('Put a newer copy of one of them in its place');
  });
});
