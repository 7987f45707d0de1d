import { describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../src/launch/free-port.js';
import { isAlive } from '../../src/launch/processes.js';
import { readRun } from '../../src/launch/run-file.js';
import { plaza } from '../support/command.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';

/** A network starts here, on a machine that may be busy with other tests. */
jest.setTimeout(120_000);

describe('a network that is told to stop while it starts', () => {
  it('stops what has started, and exits as if all had been well', async () => {
    const dataDir = newDataDir();
    const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
    const launcher = spawn(process.execPath, [plaza, 'start'], {
      env: { ...process.env, ...ports, DATA_DIR: dataDir },
      stdio: 'ignore',
    });
    const exited = once(launcher, 'exit');
    while (!readRun(dataDir)?.pids.postgres) await delay(10);
    const { ready, pids } = readRun(dataDir)!;
    launcher.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(ready).toBe(false);
    expect(Object.values(pids).filter((pid) => pid !== undefined && isAlive(pid))).toEqual([]);
    expect(readRun(dataDir)).toBeUndefined();
    removeDataDir(dataDir);
  });
});
