/** @slow */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import { acquireDirectory } from '../../src/launch/data-dir.js';
import { refuseInterruptedRestore } from '../../src/recovery/backup/restore/restore-state.js';
import { replacementSteps } from '../../src/recovery/backup/restore/replacement.js';
import type { ReplacementStep } from '../../src/recovery/backup/restore/replacement.js';
import { restore } from '../../src/recovery/backup/restore/restore.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { canHaveSmallDisk } from '@plaza/event-store/testing';
import { killWhenAllHeld } from './support/killed-process.js';
import type { HeldRestore } from './support/restore-process.js';
import { all, StoppedNetwork } from './support/stopped-network.js';

const describeOnRoot = canHaveSmallDisk ? describe : describe.skip;

describeOnRoot('a restore into an event store that is a mount (needs root)', () => {
  let postgres: TestPostgres;
  let old: StoppedNetwork;
  let backup: string;
  /** Each was restored by a process that was killed at that step. */
  const killed = new Map<ReplacementStep, StoppedNetwork>();
  const networks: StoppedNetwork[] = [];

  beforeAll(async () => {
    postgres = await startTestPostgres();
    old = await StoppedNetwork.of('old', postgres);
    const other = await StoppedNetwork.of('new', postgres, old);
    networks.push(old, other);
    backup = join(mkdtempSync(join(tmpdir(), 'plaza-backup-')), 'backup');
    await other.backUp(backup);
    for (const step of replacementSteps) killed.set(step, await withDisk());
    const restores = [...killed].map(([step, { env }]): HeldRestore => ({ step, env, backup }));
    await killWhenAllHeld('restore-process.ts', [restores], restores.length);
  });

  afterAll(async () => {
    for (const network of networks) network.remove();
    rmSync(join(backup, '..'), { recursive: true });
    await postgres?.stop();
  });

  async function withDisk(): Promise<StoppedNetwork> {
    const network = await old.copyWithDisk();
    networks.push(network);
    return network;
  }

  const restoreInto = ({ env }: StoppedNetwork) =>
    restore(readConfig(env), {
      dir: backup,
      parts: undefined,
      reason: undefined,
      operator: 'a test',
      account: 'a test',
      now: Date.now(),
      command: 'plaza restore',
      onProgress: () => undefined,
    });

  it('swaps the files within the mount, and keeps the old ones on it', async () => {
    const network = await withDisk();
    const { keptLog } = await restoreInto(network);
    expect(await network.words()).toEqual(all('new'));
    expect(await network.kept()).toEqual({
      log: ['old'],
      authority: ['old'],
      vault: ['old'],
      witness: ['old'],
    });
    expect(keptLog).toMatch(join(network.dataDir, 'eventstore', 'kept-'));
  });

  it.each(replacementSteps)('is completed by the same command after it was killed at: %s', async (step) => {
    const network = killed.get(step)!;
    await restoreInto(network);
    refuseInterruptedRestore(network.dataDir);
    expect(await network.words()).toEqual(all('new'));
    for (const words of Object.values(await network.kept())) expect(words).toContain('old');
  });

  describe('refuses, and changes nothing,', () => {
    it('where the disk is read-only', async () => {
      const network = await withDisk();
      network.disk?.freeze();
      expect(await refusalOf(network)).toMatch(
        /^DATA_DIR: the log in .*eventstore cannot be replaced: EROFS/,
      );
    });

    it('where there is too little space', async () => {
      const network = await withDisk();
      network.disk?.fill();
      expect(await refusalOf(network)).toMatch(/^DATA_DIR: .*eventstore has too little room for /);
    });

    it('while an event store runs there', async () => {
      const network = await withDisk();
      const release = acquireDirectory(join(network.dataDir, 'eventstore'));
      expect(await refusalOf(network)).toMatch(
        /^DATA_DIR: an event store still runs on .*eventstore; stop it first$/,
      );
      release?.();
    });

    it('where a log file cannot be moved, although others already were', async () => {
      const network = await withDisk();
      const eventStore = join(network.dataDir, 'eventstore');
      for (const name of ['a', 'b']) writeFileSync(join(eventStore, name), name);
      execFileSync('mount', ['--bind', join(eventStore, 'a'), join(eventStore, 'b')]);
      try {
        const before = readdirSync(eventStore);
        expect(await refusalOf(network)).toMatch(
          /^DATA_DIR: the log in .*eventstore cannot be replaced: EBUSY/,
        );
        expect(readdirSync(eventStore)).toEqual(expect.arrayContaining(before));
      } finally {
        execFileSync('umount', [join(eventStore, 'b')]);
      }
      await restoreInto(network);
      expect(await network.words()).toEqual(all('new'));
    });

    /** The error of a restore that must change nothing. */
    async function refusalOf(network: StoppedNetwork): Promise<string> {
      const refusal = await restoreInto(network).then(
        () => 'none',
        (error: Error) => error.message,
      );
      refuseInterruptedRestore(network.dataDir);
      expect(await network.words()).toEqual(all('old'));
      expect(await network.kept()).toEqual({ log: [], authority: [], vault: [], witness: [] });
      const left = [network.dataDir, join(network.dataDir, 'eventstore')].flatMap((dir) => readdirSync(dir));
      expect(left.filter((name) => /^(?:kept-|restoring)/.test(name))).toEqual([]);
      return refusal;
    }
  });
});
