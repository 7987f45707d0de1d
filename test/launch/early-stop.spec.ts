import { describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/launch/free-port.js';
import { isAlive } from '../../src/launch/processes.js';
import { readRun } from '../../src/launch/run-file.js';
import { environment, plaza } from '../support/command.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';
import { until } from '../support/until.js';

/** A network starts here, on a machine that may be busy with other tests. */
jest.setTimeout(120_000);

describe('a network that is told to stop while it starts', () => {
  it('stops what has started, and exits as if all had been well', async () => {
    const dataDir = newDataDir();
    const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
    const launcher = spawn(process.execPath, [plaza, 'start'], {
      env: environment({ ...ports, DATA_DIR: dataDir }),
      // The channel ends the network when the test's process is killed.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const exited = once(launcher, 'exit');
    try {
      const { ready, pids } = await until(() => {
        const run = readRun(dataDir);
        return run?.pids.postgres === undefined ? undefined : run;
      }, 60_000);
      launcher.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      expect(ready).toBe(false);
      expect(Object.values(pids).filter((pid) => pid !== undefined && isAlive(pid))).toEqual([]);
      expect(readRun(dataDir)).toBeUndefined();
    } finally {
      launcher.kill('SIGTERM');
      await exited;
      removeDataDir(dataDir);
    }
  });
});
