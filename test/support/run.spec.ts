import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isAlive } from '../../src/launch/processes.js';
import { environment } from './command.js';
import { until } from './until.js';

const moduleOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** Starts a test run, makes a directory as specs do, prints its path, and runs until it is killed. */
const RUN = `
  import setUp from ${moduleOf('./run.setup.mjs')};
  import { newDataDir } from ${moduleOf('./data-dir.ts')};
  setUp();
  console.log(newDataDir());
  setInterval(() => undefined, 60_000);`;

const children: ChildProcess[] = [];

function node(script: string): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('a killed run of tests', () => {
  it('removes its directories, and does not kill another process that got the id of a launcher', async () => {
    const otherProcess = node('setInterval(() => undefined, 60_000)');
    const run = node(RUN);
    const output = createInterface(run.stdout as NonNullable<typeof run.stdout>);
    const [dataDir] = (await once(output, 'line')) as [string];
    const elsewhere = mkdtempSync(join(tmpdir(), 'plaza-elsewhere-'));
    try {
      mkdirSync(join(dataDir, 'eventstore'));
      writeFileSync(join(dataDir, 'run.json'), `{ "pids": { "supervisor": ${otherProcess.pid} } }\n`);
      symlinkSync(elsewhere, join(dataDir, 'postgres'));
      run.kill('SIGKILL');
      await until(() => !existsSync(dirname(dataDir)));
      expect(existsSync(elsewhere)).toBe(false);
      expect(isAlive(otherProcess.pid ?? 0)).toBe(true);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });
});

it('lets the processes that tests start compare answers of acts with their schemas', () => {
  expect(environment()['PLAZA_CHECK_ANSWERS']).toBe('true');
});
