import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canHaveFailingDisk } from '../../chaos/disk/failing-disk.js';
import { pidOf, startNode } from '../../chaos/event-store-nodes.js';
import { faultsOf } from '../../chaos/faults.js';
import { Random } from '../../chaos/random.js';
import { freePort } from '../../src/launch/free-port.js';
import { hasGone, isAlive } from '../../src/launch/processes.js';
import { environment, plaza, root } from '../support/command.js';
import { until } from '../support/until.js';

const running: ChildProcess[] = [];
const dirs: string[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plaza-chaos-'));
  // Postgres' account has to enter it.
  chmodSync(dir, 0o755);
  dirs.push(dir);
  return dir;
}

/** `npm run chaos`, in a directory of its own for what it leaves. */
function startChaos(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [cwd, temporary] = [newDir(), newDir()];
  const child = spawn(
    process.execPath,
    [
      '--experimental-transform-types',
      '--disable-warning=ExperimentalWarning',
      '--import',
      join(root, 'test/recovery/support/run-typescript.mjs'),
      join(root, 'chaos/main.ts'),
      ...args,
    ],
    { cwd, env: { ...environment(env), TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.push(child);
  return {
    child,
    temporary,
    stdout: text(child.stdout),
    stderr: text(child.stderr),
    ended: once(child, 'close'),
    /** Everything that it leaves. */
    left: () => [...readdirSync(temporary), ...readdirSync(cwd, { recursive: true })],
  };
}

async function chaos(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { stdout, stderr, ended, left } = startChaos([...args, '--json'], env);
  const [code] = (await ended) as [number];
  const lines = (await stdout).split('\n').filter((line) => line !== '');
  return {
    code,
    left: left(),
    stderr: await stderr,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const nothing = { lost: 0, doubled: 0, resurrected: 0, 'out of order': 0, wrong: 0 };

describe('a short run of chaos', () => {
  it('kills and freezes what the seed says, and finds every promise kept', async () => {
    const { code, lines, stderr, left } = await chaos(['--rounds', '3', '--seed', '38']);
    const [seed, ...rest] = lines;
    const closing = rest.at(-1);
    expect({ code, stderr, found: closing?.['found'], findings: closing?.['findings'], left }).toEqual({
      code: 0,
      stderr: '',
      found: nothing,
      findings: [],
      left: ['artifacts'],
    });
    expect(seed).toMatchObject({ seed: 38 });
    expect(rest.slice(0, -1).map(({ fault }) => fault)).toEqual([
      'freeze Postgres for 2721 ms',
      'kill event store',
      'kill API',
    ]);
    expect(Number(rest[0]?.['writesGoneMs'])).toBeGreaterThan(2_000);
    expect(Number(closing?.['acknowledged'])).toBeGreaterThan(8 * 3 * 3);
  });

  it('that is interrupted thaws and stops everything, and leaves nothing', async () => {
    const { child, temporary, stdout, ended, left } = startChaos(['--rounds', '3', '--seed', '12']);
    const runFile = () => {
      const [file] = readdirSync(temporary).map((name) => join(temporary, name, 'run.json'));
      return file !== undefined && existsSync(file) && readFileSync(file, 'utf8');
    };
    const frozen = await until(() => {
      const file = runFile();
      const pids = file && (JSON.parse(file) as { pids: Record<string, number> }).pids;
      return pids && isStopped(pids['postgres']) && pids;
    }, 200_000);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(await stdout).toContain('interrupted');
    for (const pid of Object.values(frozen)) expect(isAlive(pid)).toBe(false);
    expect(left()).toEqual(['artifacts']);
  });
});

/** Whether a process is frozen. */
function isStopped(pid: number | undefined): boolean {
  return pid !== undefined && /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

describe('an event store that is named by its URL', () => {
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
    await hasGone(pid, 45_000);
  });

  const url = () => ({ EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` });

  it('is not harmed, which is said, and not used again', async () => {
    const before = pidOf({ pidFile, start });
    const spared = await chaos(['--rounds', '1', '--seed', '1'], url());
    expect({ ...spared, lines: spared.lines.at(-1)?.['found'] }).toMatchObject({ code: 0, lines: nothing });
    expect(spared.lines[1]?.['message']).toContain('not harmed');
    expect(pidOf({ pidFile, start })).toBe(before);

    const again = await chaos(['--rounds', '1'], url());
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    expect(pidOf({ pidFile, start })).toBe(before);
  });

  it('is killed and started again as it is said', async () => {
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
    it('loses nothing that was acknowledged, once it is replaced', async () => {
      const { code, lines } = await chaos(['--disk', 'failing disk below the event store', '--seed', '1']);
      expect({ code, found: lines.at(-1)?.['found'] }).toEqual({ code: 0, found: nothing });
      // While it fails nothing can be written.
      for (const round of lines.slice(2, 4)) expect(Number(round['writesGoneMs'])).toBeGreaterThan(4_000);
      expect(lines).toHaveLength(5);
    });
  },
);

describe('its options', () => {
  it.each([
    [['--rounds', 'many'], 'whole number'],
    [['--node-pid-file', 'one'], 'go together'],
    [['--other'], 'unknown option'],
  ])('%j are refused as wrong usage', async (args, why) => {
    const { code, stderr } = await chaos(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('with one seed and more rounds begin with the same faults, of all kinds', () => {
    const faults = (rounds: number) => faultsOf(new Random(7), rounds);
    expect(faults(40).slice(0, 10)).toEqual(faults(10));
    const kinds = new Set(faults(16).map(({ harm, victim }) => `${harm} ${victim}`));
    expect(kinds.size).toBe(16);
  });
});
