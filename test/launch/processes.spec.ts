import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { listenError, freePort } from '../../src/launch/free-port.js';
import { stopOrphanedProcesses, ownerArguments } from '../../src/launch/orphaned-processes.js';
import { hasArguments, isAlive } from '../../src/launch/processes.js';
import { writeRunFile } from '../../src/launch/run-file.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';

const ROUNDS = 10;

/** More memory makes the threads of a process take longer to end. */
const LISTENS = `
  globalThis.held = Buffer.alloc(100 * 2 ** 20, 1);
  require('node:net').createServer().listen(Number(process.argv[1]), () => console.log('listening'));`;

let dataDir: string;

beforeEach(() => {
  dataDir = newDataDir();
});

afterEach(() => removeDataDir(dataDir));

(existsSync('/proc') ? describe : describe.skip)('a process that was killed', () => {
  it('counts as alive until its ports are free', async () => {
    await eachOfMany(async (child, port) => {
      child.kill('SIGKILL');
      // Without a pause, since Node reaps a zombie in its event loop.
      while (isAlive(child.pid!));
      expect(await listenError(port)).toBeUndefined();
    });
  });

  it('is waited for by the next start, even after its arguments are gone', async () => {
    const mark = ownerArguments.node(dataDir);
    await eachOfMany(async (child, port) => {
      const pids = { supervisor: process.pid, api: child.pid! };
      writeRunFile(dataDir, { ready: true, pids, settings: {} });
      child.kill('SIGKILL');
      while (hasArguments(child.pid!, ...mark));
      await stopOrphanedProcesses(dataDir, pino({ level: 'silent' }));
      expect(await listenError(port)).toBeUndefined();
    });
  });
});

/** Runs `act` with one listening process of this network after another. */
async function eachOfMany(act: (child: ChildProcess, port: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const port = await freePort();
    const args = ['-e', LISTENS, '--', String(port), ...ownerArguments.node(dataDir)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      await act(child, port);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  }
}
