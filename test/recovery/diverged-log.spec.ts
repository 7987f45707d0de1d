/**
 * Each case goes on where the one before has ended.
 * @sample first
 * @slow
 * @waits
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { operatorOf } from '../support/api.js';
import { copyLog, replaceLog } from '../support/drill.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { CHECKS_MS, until } from '../support/until.js';
import { DrillScenario, expectedObservations } from './support/drill-scenario.js';
import { answerOf } from './support/operator.js';

let network: TestNetwork;
let scenario: DrillScenario;
let log: string;
/** The log before the restrictions. */
let before: string;

beforeAll(async () => {
  network = await startNetwork();
  log = join(network.dataDir, 'eventstore');
  before = join(network.dataDir, 'log-before');
  scenario = await DrillScenario.create(network);
  copyLog(network, before);
  await scenario.applyRestrictions();
  await until(async () => (await lags()).every((lag) => lag === 0));
  await network.halt();
});

afterAll(() => network?.stop());

const lags = async () => (await operatorOf(network).get('projections')).projections.map(({ lag }) => lag);
const status = () => operatorOf(network).get('recovery');

interface CheckpointRow {
  readonly owner: string;
  readonly position: string;
}

async function onReadStore<Row extends object>(sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Checkpoints of the published incarnation and of each group. Postgres must run. */
const checkpoints = async (): Promise<readonly bigint[]> =>
  (
    await onReadStore<CheckpointRow>(
      `SELECT 'published' AS owner, applied_position AS position
      FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
      UNION ALL SELECT group_name, applied_position FROM recovery.checkpoint`,
    )
  ).map(({ position }) => BigInt(position));

type Append = (bytes: number) => Promise<bigint>;

/**
 * Replaces the log of the stopped network with its old copy and appends to it. `append` returns the position of its
 * event.
 */
async function divergeLog(write: (append: Append) => Promise<void>): Promise<void> {
  replaceLog(network, before);
  const store = await startEmbeddedEventStore({ dir: log });
  const client = EventStoreDBClient.connectionString(store.url);
  try {
    await write(async (bytes) => {
      const event = jsonEvent({ type: 'other', data: { text: 'x'.repeat(bytes) } });
      const { position } = await client.appendToStream('plaza_other-1', event);
      return position?.commit ?? 0n;
    });
  } finally {
    await client.dispose();
    await store.kill('SIGTERM');
  }
}

/** Appends events until one begins exactly at that position. */
async function fillUpTo(target: bigint, append: Append): Promise<void> {
  const [first, second] = [await append(1_000), await append(1_000)];
  const overhead = Number(second - first) - 1_000;
  // An event ends where the next begins. Its size takes two bytes in each length field, as for the first two.
  const gap = Number(target - second) - 2 * overhead - 1_000;
  if (gap < 1_000 || gap > 15_000) throw new Error(`there are ${gap} bytes to be filled`);
  await append(gap);
  expect(await append(1)).toBe(target);
}

/** Removes the quarantine without a recovery, and stops the network. */
async function forgetQuarantine(): Promise<void> {
  await onReadStore(`UPDATE recovery.publication SET status = 'serving', reason = NULL`);
  await network.killAll('SIGKILL');
}

const divergedReason =
  /^The log was rolled back and written to since, or replaced: at position \d+ it has another event/;

/** Asks as rarely as it can: a status takes seconds while the log rejects a position, since only several refusals are a proof. */
const untilQuarantined = () =>
  until(async () => {
    const found = await status();
    return found.state === 'quarantined' && found;
  }, CHECKS_MS);

/** The recovery status in quarantine, and whether any process accepted the log before. */
async function quarantineState() {
  const { reason, witness } = await untilQuarantined();
  const wasBelieved = network.output().includes('restriction check passed');
  return { reason, setBack: witness?.setBack, missing: witness?.missing.count, wasBelieved };
}

const refused = {
  reason: expect.stringMatching(divergedReason),
  setBack: expect.stringMatching(divergedReason),
  missing: 8,
  wasBelieved: false,
};

describe('a log that was rolled back and written to past the checkpoint', () => {
  it('is refused where the checkpoint is in the middle of an event', async () => {
    await divergeLog(async (append) => {
      for (let n = 0; n < 40; n++) await append(5_000);
    });
    await network.restart();
    expect(await quarantineState()).toEqual(refused);
  });

  it('is refused where another event begins exactly at the checkpoint', async () => {
    const positions = await checkpoints();
    await forgetQuarantine();
    const newest = positions.reduce((a, b) => (a > b ? a : b));
    await divergeLog(async (append) => {
      await fillUpTo(newest, append);
      await append(5_000);
    });
    await network.restart();
    expect(await quarantineState()).toEqual(refused);
  });

  it('is recovered, and no restricted content returns', async () => {
    const plan = await operatorOf(network).get('recovery/plan');
    expect(plan).toMatchObject({ isNeeded: true, refused: null, restrictions: { count: 8 } });
    await answerOf(network, ['recovery', 'apply', '--reason', 'a drill']);
    expect(await status()).toMatchObject({
      state: 'serving',
      witness: { setBack: null, missing: { count: 0 } },
    });
    expect(await scenario.observe()).toEqual(expectedObservations(scenario));
    await network.restart();
    expect(await status()).toMatchObject({ state: 'serving' });
  });
});

describe('a log that lacks only events of authority and audit', () => {
  it('is refused, planned for and recovered like any other', async () => {
    rmSync(before, { recursive: true });
    copyLog(network, before);
    await answerOf(network, ['publishing', 'pause', '--reason', 'a drill']);
    await until(async () => (await lags()).every((lag) => lag === 0));
    await network.halt();
    await divergeLog(async (append) => {
      for (let n = 0; n < 10; n++) await append(3_000);
    });
    await network.restart();
    expect((await untilQuarantined()).reason).toMatch(/which projection group (audit|authority) has applied/);
    const plan = await operatorOf(network).get('recovery/plan');
    expect(plan).toMatchObject({ isNeeded: true, restrictions: { count: 0 } });
    await answerOf(network, ['recovery', 'apply', '--reason', 'a drill']);
    expect(await status()).toMatchObject({ state: 'serving' });
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);
    expect(await scenario.observe()).toEqual(expectedObservations(scenario));
  });
});
