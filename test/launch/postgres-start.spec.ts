import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { Cluster } from '../../src/launch/postgres/cluster.js';
import { childProcessIds, hasArguments, waitUntilGone, isAlive } from '../../src/launch/processes.js';
import { startServer } from '../../src/launch/postgres/server.js';
import { root } from '../support/command.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';
import { until } from '../support/until.js';

const log = pino({ level: 'silent' });
let directory = '';

beforeEach(() => {
  directory = newDataDir();
});

afterEach(() => {
  removeDataDir(directory);
});

/** A server that writes its pid and never becomes ready, like one in a long recovery. */
function neverReady(): Cluster {
  const postgres = join(directory, 'never-ready');
  writeFileSync(postgres, `#!/bin/sh\necho $$ > '${join(directory, 'pid')}'\nexec sleep 1000\n`, {
    mode: 0o755,
  });
  return { directory, account: undefined, binaries: { initdb: '/bin/false', postgres } };
}

const pidOfServer = () =>
  until(() => {
    try {
      return Number(readFileSync(join(directory, 'pid'), 'utf8'));
    } catch {
      return undefined;
    }
  });

describe('a Postgres that is not ready yet', () => {
  it('ends when the start is aborted', async () => {
    const giving = new AbortController();
    const starting = startServer(neverReady(), 1, { log, signal: giving.signal });
    const fault = starting.catch((error: unknown) => error);
    const pid = await pidOfServer();
    giving.abort(new Error('enough'));
    expect(await fault).toEqual(new Error('enough'));
    expect(isAlive(pid)).toBe(false);
  });

  it('ends when it is not ready in time', async () => {
    const cluster = neverReady();
    const starting = startServer(cluster, 1, { log, startTimeoutMs: 500 });
    // On a busy machine the server may not even run in that time, and then writes no pid.
    const servers = () =>
      childProcessIds(process.pid).filter(
        (pid) => hasArguments(pid, cluster.binaries.postgres) || hasArguments(pid, 'sleep', '1000'),
      );
    await expect(starting).rejects.toThrow('Postgres did not start: the server took too long to be ready');
    expect(servers()).toEqual([]);
  });

  it('ends when its launcher is killed', async () => {
    const server = pathToFileURL(join(root, 'dist/src/launch/postgres/server.js')).href;
    const script = `const { startServer } = await import(${JSON.stringify(server)});
      const log = { warn() {}, error() {}, debug() {} };
      await startServer(${JSON.stringify(neverReady())}, 1, { log });`;
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const exited = once(launcher, 'exit');
    const pid = await pidOfServer();
    // The server and the shell that supervises it.
    await until(() => childProcessIds(launcher.pid!).length === 2);
    launcher.kill('SIGKILL');
    await exited;
    expect(await waitUntilGone(pid, 60_000)).toBe(true);
  });

  it('fails when its program is missing', async () => {
    const cluster = { ...neverReady(), binaries: { initdb: '', postgres: join(directory, 'nothing') } };
    await expect(startServer(cluster, 1, { log })).rejects.toThrow(/^Postgres did not start: .*ENOENT/);
  });
});
