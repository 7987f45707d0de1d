import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { stopOrphanedProcesses } from '../../src/launch/orphaned-processes.js';
import { stopOrphanedPostgres } from '../../src/launch/postgres/orphaned-postgres.js';
import { isAlive } from '../../src/launch/processes.js';
import { readRunFile, writeRunFile } from '../../src/launch/run-file.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';

let dataDir = '';
let warned: string[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void warned.push(line) });
const others: ChildProcess[] = [];

beforeEach(() => {
  dataDir = newDataDir();
  warned = [];
});

afterEach(async () => {
  for (const other of others.splice(0)) await end(other);
  removeDataDir(dataDir);
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** An idle process with these arguments. */
async function processWith(...args: readonly string[]): Promise<number> {
  const script = 'console.log(1); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', script, '--', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  others.push(child);
  await once(child.stdout, 'data');
  return child.pid!;
}

const writeRunFileWith = (pids: object) =>
  writeRunFile(dataDir, { ready: true, pids: { supervisor: 1, ...pids }, settings: {} });

describe('an orphaned process of a killed launcher', () => {
  it.each(['', '{"ready":true,"pids":{"super', '{"ready":1}', '\0\0\0\0'])(
    'is not looked for when run.json holds %j, which is logged',
    async (content) => {
      writeFileSync(join(dataDir, 'run.json'), content);
      expect(readRunFile(dataDir)).toBeUndefined();
      await stopOrphanedProcesses(dataDir, log);
      expect(warned.join()).toMatch(/run\.json cannot be read/);
    },
  );

  it('is waited for', async () => {
    const [api, eventStore] = [
      await processWith(`--data-dir=${dataDir}`),
      await processWith('--dir', join(dataDir, 'eventstore'), '--host', '127.0.0.1'),
    ];
    writeRunFileWith({ api, eventStore });
    const cleared = stopOrphanedProcesses(dataDir, log);
    for (const other of others) await end(other);
    await cleared;
    expect(warned).toHaveLength(2);
  });

  it('is not confused with a process of another network or an editor that reused its id', async () => {
    writeRunFileWith({
      api: await processWith(`--data-dir=${dataDir}2`),
      worker: await processWith(dataDir),
      eventStore: await processWith('--dir', join(dataDir, 'eventstore2')),
    });
    await stopOrphanedProcesses(dataDir, log);
    expect(warned).toEqual([]);
    expect(others.every(({ pid }) => isAlive(pid!))).toBe(true);
  });
});

describe('the pid file of a killed Postgres', () => {
  const cluster = () => join(dataDir, 'data');
  const file = () => join(cluster(), 'postmaster.pid');

  beforeEach(() => mkdirSync(cluster()));

  it.each([
    ['of another cluster', (): string[] => ['-D', `${cluster()}2`]],
    ['that edits a file of this cluster', (): string[] => [cluster(), '-D']],
  ])('does not end the process %s', async (_who, args) => {
    const pid = await processWith(...args());
    writeFileSync(file(), `${pid}\n${cluster()}\n1\n`);
    await stopOrphanedPostgres(cluster(), log);
    expect(isAlive(pid)).toBe(true);
    expect(readFileSync(file(), 'utf8')).toBe(`${process.pid}\n${cluster()}\n1\n`);
  });

  it('is removed when a power cut left it empty', async () => {
    writeFileSync(file(), '');
    await stopOrphanedPostgres(cluster(), log);
    expect(() => readFileSync(file())).toThrow('ENOENT');
  });

  it('is not written through a symbolic link in its place', async () => {
    const elsewhere = join(dataDir, 'elsewhere');
    const content = `${await processWith('a stranger')}\nmore\n`;
    writeFileSync(elsewhere, content);
    symlinkSync(elsewhere, file());
    await expect(stopOrphanedPostgres(cluster(), log)).rejects.toThrow('ELOOP');
    expect(readFileSync(elsewhere, 'utf8')).toBe(content);
  });
});
