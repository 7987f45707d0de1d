import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import { acquireDataDir, acquireDirectory } from '../../src/launch/data-dir.js';
import {
  readUnrecordedRestores,
  refuseInterruptedRestore,
} from '../../src/recovery/backup/restore/restore-state.js';
import type { RestorePart } from '../../src/recovery/backup/restore/restore-parts.js';
import { replacementSteps } from '../../src/recovery/backup/restore/replacement.js';
import type { ReplacementStep } from '../../src/recovery/backup/restore/replacement.js';
import { restore } from '../../src/recovery/backup/restore/restore.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { killWhenAllHeld, runAsChild } from './support/killed-process.js';
import type { HeldRestore } from './support/restore-process.js';
import { all, StoppedNetwork } from './support/stopped-network.js';

/** Steps after which old and new data are mixed. */
const stepsWithMixedData = replacementSteps.slice(
  replacementSteps.indexOf('begun'),
  replacementSteps.indexOf('ended'),
);

const otherSteps = replacementSteps
  .map((step) => ({ step, words: step === 'ended' ? 'new' : 'old' }))
  .filter(({ step }) => !stepsWithMixedData.includes(step));

let postgres: TestPostgres;
let backup: string;
/** Each was restored by a process that was killed at that step. */
const networks = new Map<ReplacementStep, StoppedNetwork>();
const networkAt = (step: ReplacementStep) => networks.get(step) as StoppedNetwork;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const old = await StoppedNetwork.of('old', postgres);
  // With the history of the old witness: otherwise that one would be kept, as it would know more than the backup.
  const other = await StoppedNetwork.of('new', postgres, old);
  backup = join(mkdtempSync(join(tmpdir(), 'plaza-backup-')), 'backup');
  await other.backUp(backup);
  for (const step of replacementSteps) networks.set(step, await old.copy());
  const restores = replacementSteps.map((step): HeldRestore => ({ step, env: networkAt(step).env, backup }));
  await killWhenAllHeld('restore-process.ts', [restores], restores.length);
  for (const each of [old, other]) each.remove();
});

afterAll(async () => {
  for (const network of networks.values()) network.remove();
  rmSync(join(backup, '..'), { recursive: true });
  await postgres?.stop();
});

const restoreInto = ({ env }: StoppedNetwork, parts?: readonly RestorePart[]) =>
  restore(readConfig(env), {
    dir: backup,
    parts,
    reason: undefined,
    operator: 'a test',
    account: 'a test',
    now: Date.now(),
    command: 'plaza restore',
    onProgress: () => undefined,
  });

const checkStart = ({ dataDir }: StoppedNetwork) => refuseInterruptedRestore(dataDir);

describe('a killed restore', () => {
  it.each(otherSteps)('after step: $step, leaves everything $words', async ({ step, words }) => {
    const network = networkAt(step);
    checkStart(network);
    expect(await network.words()).toEqual(all(words));
  });

  it.each(stepsWithMixedData)(
    'after step: %s, leaves a network that refuses to start and names the command to run',
    (step) => {
      expect(() => checkStart(networkAt(step))).toThrow(`run it again to its end: plaza restore ${backup}`);
    },
  );

  it.each(stepsWithMixedData)('after step: %s, refuses a restore of only some parts', async (step) => {
    const network = networkAt(step);
    const before = await network.words();
    await expect(restoreInto(network, ['read', 'vault'])).rejects.toThrow(
      `would leave old and new data mixed in its log, authority, witness; run that one again to its end first: plaza restore ${backup}`,
    );
    expect(await network.words()).toEqual(before);
    expect(() => checkStart(network)).toThrow('was interrupted');
  });

  it.each(replacementSteps)('after step: %s, is completed by the same command', async (step) => {
    const network = networkAt(step);
    const { parts } = await restoreInto(network);
    checkStart(network);
    expect(await network.words()).toEqual(all('new'));
    expect(readUnrecordedRestores(network.dataDir).at(-1)?.parts).toEqual(parts);
    const kept = await network.kept();
    for (const words of Object.values(kept)) expect(words).toContain('old');
  });
});

describe('a running restore', () => {
  it('is named by the refusal of a start, and ends at once with its process', async () => {
    const { env, dataDir } = networkAt('ended');
    const [database, watcher] = [new Client(env['DATABASE_URL']), new Client(env['DATABASE_URL'])];
    await Promise.all([database.connect(), watcher.connect()]);
    try {
      await database.query('BEGIN; LOCK TABLE authority.credential IN ACCESS EXCLUSIVE MODE');
      const kill = runAsChild(['restore', backup], env);
      await until(async () => {
        // Outside the transaction, in which pg_stat_activity never changes.
        const { rowCount } = await watcher.query(
          `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND application_name = 'plaza-restore'`,
        );
        return rowCount === 1;
      });
      expect(() => acquireDataDir(dataDir)).toThrow(
        `DATA_DIR: ${dataDir} is held by a restore, or by a network that is only starting or already ending; try again when that is over`,
      );
      await kill();
      const release = await until(() => acquireDirectory(dataDir));
      release();
    } finally {
      await database.end();
      await watcher.end();
    }
  });
});
