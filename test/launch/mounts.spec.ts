/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newDataDir } from '../support/data-dir.js';
import { backUp, newBackupDir, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { canHaveSmallDisk, makeSmallDisk } from '@plaza/event-store/testing';
import type { SmallDisk } from '@plaza/event-store/testing';
import { until } from '../support/until.js';

(canHaveSmallDisk ? describe : describe.skip)(
  'a network whose log and Postgres are on disks of their own (needs root)',
  () => {
    const disks: SmallDisk[] = [];
    let network: TestNetwork;
    let backup = '';

    beforeAll(async () => {
      const dataDir = newDataDir();
      for (const [name, megabytes] of [
        ['eventstore', 64],
        ['postgres', 1024],
      ] as const) {
        mkdirSync(join(dataDir, name));
        disks.push(makeSmallDisk(megabytes, join(dataDir, name)));
      }
      network = await startNetwork({}, dataDir);
      backup = newBackupDir(network);
    });

    afterAll(async () => {
      await network?.halt();
      for (const disk of disks) disk.remove();
      await network?.stop();
      rmSync(backup, { recursive: true, force: true });
    });

    const inEventStore = (pattern: RegExp) =>
      readdirSync(join(network.dataDir, 'eventstore')).filter((name) => pattern.test(name));

    it('is restored, serves, and keeps the old data until then', async () => {
      expect(await backUp(network, backup)).toMatchObject({ code: 0 });
      await network.halt();
      expect(await restore(network.dataDir, backup)).toMatchObject({ code: 0 });
      expect(inEventStore(/^kept-/)).toHaveLength(1);
      await network.restart();
      await until(async () => (await fetch(`${network.baseUrl}/readyz`)).ok, 60_000);
      await until(() => inEventStore(/^(?:kept-|restoring)/).length === 0, 60_000);
      expect(inEventStore(/^\d+\.log$/)).not.toEqual([]);
    });
  },
);
