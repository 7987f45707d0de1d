/**
 * Whole runs take long, and a sample leaves them out.
 * @sample first
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pidOf, startNode } from '../../chaos/event-store-nodes.js';
import { faultsOf } from '../../chaos/faults.js';
import { connectsFrom, startNodeProxies } from '../../chaos/node-proxies.js';
import { Random } from '../../chaos/random.js';
import { freePort } from '../../src/launch/free-port.js';
import { isAlive, waitUntilGone } from '../../src/launch/processes.js';
import { plaza } from '../support/command.js';
import { canHaveFailingDisk } from '@plaza/event-store/testing';
import { until } from '../support/until.js';
import { chaos, CLIENTS, clearUp, newDir, nothing, startChaos } from './support/run-chaos.js';

afterEach(clearUp);

const ROUNDS = 3;

describe('the options of chaos', () => {
  it.each([
    [['--rounds', 'many'], 'whole number'],
    [['--node-pid-file', 'one'], 'go together'],
    [['--node-ports', '2111=3111'], 'needs the ports of each node'],
    [
      ['--node-pid-file', 'one', '--node-start', 'true', '--node-ports', '2111'],
      'must be like 2111=3111,1111=3112',
    ],
    [['--other'], 'unknown option'],
    [['--clients', '1'], 'at least 2'],
  ])('%j are rejected as wrong usage', async (args, why) => {
    const { code, stderr } = await chaos(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('with one seed and more rounds start with the same faults, of all kinds', () => {
    const faults = (rounds: number) => faultsOf(new Random(7), rounds);
    expect(faults(40).slice(0, 10)).toEqual(faults(10));
    const kinds = new Set(faults(16).map(({ harm, victim }) => `${harm} ${victim}`));
    expect(kinds.size).toBe(16);
  });
});

it('the proxies before a node cut off one process alone, until they heal', async () => {
  const own = createServer((socket) => void socket.end('served')).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const advertised = await freePort();
  const proxies = await startNodeProxies(`${advertised}=${(own.address() as AddressInfo).port}`);
  const read = `require('net').connect(${advertised}, '127.0.0.1').pipe(process.stdout)`;
  const readThere = () => text(spawn(process.execPath, ['-e', read]).stdout);
  const readHere = () => text(connect(advertised, '127.0.0.1'));
  try {
    expect([await readHere(), await readThere()]).toEqual(['served', 'served']);
    proxies.refuse((port) => !connectsFrom(process.pid, port));
    expect([await readHere(), await readThere()]).toEqual(['served', '']);
    proxies.refuse((port) => connectsFrom(process.pid, port));
    expect([await readHere(), await readThere()]).toEqual(['', 'served']);
    proxies.refuse(() => false);
    expect(await readHere()).toBe('served');
  } finally {
    await proxies.close();
    own.close();
  }
});

describe('a short run of chaos', () => {
  it('injects the faults of its seed, and finds no violation', async () => {
    const { code, lines, stderr, left } = await chaos(['--rounds', String(ROUNDS), '--seed', '38']);
    const [seed, ...rest] = lines;
    const closing = rest.at(-1);
    expect({ code, stderr, found: closing?.['found'], findings: closing?.['findings'], left }).toEqual({
      code: 0,
      stderr: '',
      found: nothing,
      findings: [],
      left: ['artifacts'],
    });
    expect(seed).toMatchObject({ seed: 38, clients: CLIENTS });
    expect(rest.slice(0, -1).map(({ fault }) => fault)).toEqual(
      ['freeze Postgres for 2721 ms', 'kill event store', 'kill API'].slice(0, ROUNDS),
    );
    expect(Number(rest[0]?.['writesGoneMs'])).toBeGreaterThan(2_000);
    expect(Number(closing?.['acknowledged'])).toBeGreaterThan(CLIENTS * 3 * ROUNDS);
  });

  it('resumes and stops every process when it is interrupted, and leaves nothing', async () => {
    const { child, temporary, stdout, ended, left } = startChaos(['--rounds', '3', '--seed', '12']);
    const runFile = () => {
      const [file] = readdirSync(temporary).map((name) => join(temporary, name, 'run.json'));
      return file !== undefined && existsSync(file) && readFileSync(file, 'utf8');
    };
    const frozen = await until(() => {
      const file = runFile();
      const pids = file && (JSON.parse(file) as { pids: Record<string, number> }).pids;
      return pids && isStopped(pids['postgres']) && pids;
      // A whole network starts first.
    }, 100_000);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(await stdout).toContain('interrupted');
    for (const pid of Object.values(frozen)) expect(isAlive(pid)).toBe(false);
    expect(left()).toEqual(['artifacts']);
  });
});

function isStopped(pid: number | undefined): boolean {
  return pid !== undefined && /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

describe('an event store named by its URL', () => {
  let dir: string;
  let port: number;
  let pidFile: string;
  let start: string;

  beforeEach(async () => {
    dir = newDir();
    port = await freePort();
    pidFile = join(dir, 'pid');
    start = `${process.execPath} ${plaza} eventstore --dir ${join(dir, 'log')} --port ${port} & echo $! > ${pidFile}`;
    await startNode({ pidFile, start }, join(dir, 'log.txt'));
  });

  afterEach(async () => {
    const pid = pidOf({ pidFile, start });
    process.kill(pid, 'SIGTERM');
    await waitUntilGone(pid, 45_000);
  });

  const url = () => ({ EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` });

  it('is not harmed, which the output says, and refused for a second run', async () => {
    const before = pidOf({ pidFile, start });
    const spared = await chaos(['--rounds', '1', '--seed', '1'], url());
    expect({ ...spared, lines: spared.lines.at(-1)?.['found'] }).toMatchObject({
      code: 0,
      lines: nothing,
      stderr: '',
    });
    expect(spared.lines[1]?.['message']).toContain('not harmed');
    expect(pidOf({ pidFile, start })).toBe(before);

    const again = await chaos(['--rounds', '1'], url());
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    expect(pidOf({ pidFile, start })).toBe(before);
  });

  it('is killed and restarted with the given command', async () => {
    const before = pidOf({ pidFile, start });
    const how = ['--node-pid-file', pidFile, '--node-start', start];
    const { code, lines } = await chaos(['--rounds', '1', '--seed', '32', ...how], url());
    expect({ code, found: lines.at(-1)?.['found'] }).toEqual({ code: 0, found: nothing });
    expect(lines[1]?.['fault']).toBe('kill event store');
    expect(pidOf({ pidFile, start })).not.toBe(before);
  });
});

(canHaveFailingDisk ? describe : describe.skip)(
  'a disk below the event store that fails (needs root, loop devices and ext4)',
  () => {
    it('loses no acknowledged event once it is replaced', async () => {
      const named = ['--disk', 'failing disk below the event store', '--rounds', '1'];
      const { code, lines } = await chaos([...named, '--seed', '1']);
      expect({ code, found: lines.at(-1)?.['found'] }).toEqual({ code: 0, found: nothing });
      // No write succeeds while the disk fails, and /readyz reports it.
      const [times, round] = lines.slice(2);
      expect(times).toMatchObject({ unreadyMs: expect.any(Number), readyAgainMs: expect.any(Number) });
      expect(Number(round?.['writesGoneMs'])).toBeGreaterThan(4_000);
      expect(lines).toHaveLength(5);
    });
  },
);
