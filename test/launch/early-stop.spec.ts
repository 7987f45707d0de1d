import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/launch/free-port.js';
import { waitUntilGone, isAlive } from '../../src/launch/processes.js';
import { readRunFile } from '../../src/launch/run-file.js';
import { environment, root } from '../support/command.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';
import { until } from '../support/until.js';

describe('an `npm start` that is stopped while the network starts', () => {
  it('stops its processes, waits for their end, and exits with code 0', async () => {
    const dataDir = newDataDir();
    const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
    // Without the build before it, since other tests run the built files.
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: root,
      env: environment({ ...ports, DATA_DIR: dataDir }),
      stdio: 'ignore',
    });
    const exited = once(npm, 'exit');
    try {
      const { ready, pids } = await until(() => {
        const run = readRunFile(dataDir);
        return run?.pids.postgres === undefined ? undefined : run;
      });
      npm.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      expect(ready).toBe(false);
      expect(Object.values(pids).filter((pid) => pid !== undefined && isAlive(pid))).toEqual([]);
      expect(readRunFile(dataDir)).toBeUndefined();
    } finally {
      npm.kill('SIGTERM');
      await exited;
      await stopOrphan(dataDir);
      removeDataDir(dataDir);
    }
  });
});

/** Stops a launcher that npm left running. */
async function stopOrphan(dataDir: string): Promise<void> {
  const launcher = readRunFile(dataDir)?.pids.supervisor;
  if (launcher === undefined || !isAlive(launcher)) return;
  process.kill(launcher, 'SIGTERM');
  await waitUntilGone(launcher, 60_000);
}
