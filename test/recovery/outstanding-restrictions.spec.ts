import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { postById } from '../../projections/posts/posts.read-model.js';
import { PositionListener } from '../../src/base/store/position-listener.js';
import { admittedReadSql, admissionParameters } from '../../src/doors/api/admission/admission-sql.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { EnforcingLog } from '../../src/log/witness/enforcing-log.js';
import { PUBLICATION_CHANNEL } from '../../projections/incarnations/incarnation.js';
import { OutstandingRestrictions } from '../../src/log/witness/outstanding-restrictions.js';
import { readPublicationState } from '../../projections/incarnations/recovery-state.js';
import { some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { JobBench } from './support/job-bench.js';

/** The log of the bench: the founding and a post. */
const EVENTS = 2;

let postgres: TestPostgres;
let jobs: JobBench;
let positions: PositionListener;
let log: EnforcingLog;

const LONG_MS = 60_000;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  jobs = await JobBench.open(postgres);
  positions = new PositionListener({
    databaseUrl: jobs.databaseUrl,
    publicationChannel: PUBLICATION_CHANNEL,
    read: readPublicationState,
    readGroup: () => Promise.resolve(undefined),
    logger: pino({ level: 'silent' }),
  });
  positions.start();
  const outstanding = new OutstandingRestrictions(jobs.pool, positions);
  log = new EnforcingLog(jobs.log, jobs.witness, Date.now, outstanding);
});
afterEach(async () => {
  await positions?.stop();
  await jobs?.close();
});

/** Appends to the stream of the post. Returns the event's id. */
async function append(event: StoredEvent, expected: bigint): Promise<string> {
  const id = randomUUID();
  await log.append({ stream: 'post-p', expected, events: [{ id, event }], metadata: { requestId: 'r' } });
  return id;
}

const deletePost = () => append(some.deletion('p'), 0n);

const outstandingIds = async (): Promise<readonly string[]> => {
  const { rows } = await jobs.pool.query<{ event_id: string }>(
    'SELECT event_id FROM recovery.outstanding_restriction',
  );
  return rows.map(({ event_id }) => event_id);
};

/** Whether a read returns the post. */
async function isShown(): Promise<boolean> {
  const state = await readPublicationState(jobs.pool);
  if (!state) throw new Error('nothing is published');
  const admission = { tokenHash: null, now: 0, scope: null, minPosition: null };
  const { rows } = await jobs.pool.query<{ data: unknown }>(admittedReadSql(state.schemaName, postById), [
    ...admissionParameters({ ...admission, incarnation: state.incarnation }),
    'p',
  ]);
  return postById.present(rows[0]?.data) !== null;
}

/** Whether the published read models contain the post, ignoring outstanding restrictions. */
async function isInReadModels(): Promise<boolean> {
  const { schemaName = '' } = (await readPublicationState(jobs.pool)) ?? {};
  const { rows } = await jobs.pool.query(
    `SELECT FROM ${schemaName}.post WHERE id = 'p' AND status = 'published'`,
  );
  return rows.length > 0;
}

describe('an acknowledged restriction', () => {
  it('has no row if a worker has applied it already', async () => {
    const worker = jobs.startWorker();
    // With a long timeout, for busy machines.
    const untilApplied = { waitFor: (position: bigint) => positions.waitFor(position, LONG_MS) };
    const outstanding = new OutstandingRestrictions(jobs.pool, untilApplied);
    log = new EnforcingLog(jobs.log, jobs.witness, Date.now, outstanding);
    await deletePost();
    expect([await outstandingIds(), await isInReadModels()]).toEqual([[], false]);
    await worker.stop();
  });

  it('has a row until a worker applies it', async () => {
    expect(await isShown()).toBe(true);
    const id = await deletePost();
    expect([await outstandingIds(), await isShown(), await isInReadModels()]).toEqual([[id], false, true]);
    const worker = jobs.startWorker();
    await until(async () => (await outstandingIds()).length === 0);
    expect([await isShown(), await isInReadModels()]).toEqual([false, false]);
    await worker.stop();
  });

  it('has a row no longer than needed while the worker applies a backlog', async () => {
    await deletePost();
    expect(await outstandingIds()).toHaveLength(1);
    jobs.log.setBacklog(true);
    const worker = jobs.startWorker();
    await until(async () => (await outstandingIds()).length === 0);
    expect([await isShown(), await isInReadModels()]).toEqual([false, false]);
    await worker.stop();
  });

  it('has a row while the log is unavailable', async () => {
    const worker = jobs.startWorker();
    const id = randomUUID();
    jobs.log.setUndelivered(id, true);
    await log.append({
      stream: 'post-p',
      expected: 0n,
      events: [{ id, event: some.deletion('p') }],
      metadata: { requestId: 'r' },
    });
    jobs.log.setDown(true);
    expect([await outstandingIds(), await isShown()]).toEqual([[id], false]);
    jobs.log.setUndelivered(id, false);
    jobs.log.setDown(false);
    await until(async () => (await outstandingIds()).length === 0);
    expect(await isShown()).toBe(false);
    await worker.stop();
  });

  it('keeps its row when an incarnation without it is published', async () => {
    const id = await deletePost();
    jobs.log.setUndelivered(id, true);
    const before = await jobs.publishedIncarnation();
    jobs.startJobRunner();
    await jobs.waitForState(await jobs.request('rebuild'), 'published');
    expect(await jobs.publishedIncarnation()).not.toBe(before);
    expect([await outstandingIds(), await isShown(), await isInReadModels()]).toEqual([[id], false, true]);
    jobs.log.setUndelivered(id, false);
    const worker = jobs.startWorker();
    await until(async () => (await outstandingIds()).length === 0);
    expect([await isShown(), await isInReadModels()]).toEqual([false, false]);
    await worker.stop();
  });

  it('loses a row that was added after it was applied', async () => {
    const worker = jobs.startWorker();
    const id = await deletePost();
    await until(async () => (await outstandingIds()).length === 0);
    await jobs.pool.query(`INSERT INTO recovery.outstanding_restriction VALUES ($1, 1, 1, 'post:p')`, [id]);
    await until(async () => (await outstandingIds()).length === 0);
    await worker.stop();
    expect(await isShown()).toBe(false);
  });

  it('that was lifted is shown as soon as both events are applied', async () => {
    await append(some.restriction('p'), 0n);
    await append(some.unrestriction('p'), 1n);
    expect(await isShown()).toBe(false);
    const worker = jobs.startWorker();
    await until(isShown);
    await worker.stop();
  });
});

describe('a recovery', () => {
  it('of a log that lost the restriction appends it again and leaves no row once it is applied', async () => {
    const id = await deletePost();
    jobs.log.rollBack(EVENTS);
    jobs.startJobRunner();
    await jobs.waitForState(await jobs.request('recover'), 'published');
    expect([await outstandingIds(), await isShown(), await isInReadModels()]).toEqual([[id], false, false]);
    const worker = jobs.startWorker();
    await until(async () => (await outstandingIds()).length === 0);
    await worker.stop();
  });

  it('is refused where neither the log nor the witness knows the restriction', async () => {
    await jobs.pool.query(
      `INSERT INTO recovery.outstanding_restriction VALUES (gen_random_uuid(), 1, 1000, 'post:p')`,
    );
    jobs.startJobRunner();
    const { message } = await jobs.waitForState(await jobs.request('recover'), 'failed');
    expect(message).toMatch(/^Neither the log nor the witness knows 1 of the restrictions/);
  });
});

describe('a command that finds the restriction already made', () => {
  it('is acknowledged once there is a row', async () => {
    const id = await deletePost();
    // As if a process died before it added the row.
    await jobs.pool.query('DELETE FROM recovery.outstanding_restriction');
    await log.ensureWitnessed(await jobs.log.read('post-p'));
    expect([await outstandingIds(), await isShown()]).toEqual([[id], false]);
  });

  it('adds no row for a restriction that was applied long ago', async () => {
    const worker = jobs.startWorker();
    await deletePost();
    await worker.stop();
    await log.ensureWitnessed(await jobs.log.read('post-p'));
    expect(await outstandingIds()).toEqual([]);
  });
});
