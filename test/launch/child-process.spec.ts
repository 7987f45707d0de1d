import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChild } from '../../src/launch/child-process.js';
import { childProcessIds, isAlive } from '../../src/launch/processes.js';
import type { RunningProcess } from '../../src/launch/running-process.js';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plaza-child-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Starts a process with this script. */
function start(
  script: string,
  longestStartMs?: number,
  signal = new AbortController().signal,
): Promise<RunningProcess> {
  const entry = join(directory, 'entry.mjs');
  writeFileSync(entry, `${script}\n`);
  const options = { name: 'a process', entry: pathToFileURL(entry), args: [], env: process.env, signal };
  return startChild({ ...options, ...(longestStartMs !== undefined && { startTimeoutMs: longestStartMs }) });
}

const stayUp = 'setInterval(() => {}, 1000);';
const send = (message: object) => `process.send(${JSON.stringify(message)});`;

describe('a process of the network', () => {
  it('runs from its ready message until it is stopped', async () => {
    const child = await start(stayUp + send({ type: 'ready' }));
    expect(isAlive(child.pid)).toBe(true);
    await child.stop();
    expect(isAlive(child.pid)).toBe(false);
  });

  it('is ended when it is not ready in time', async () => {
    // Another spec file's process may end meanwhile.
    const before = childProcessIds(process.pid);
    const started = () => childProcessIds(process.pid).filter((pid) => !before.includes(pid));
    const starting = start(stayUp, 1_000);
    expect(started()).toHaveLength(1);
    await expect(starting).rejects.toThrow(/^a process took too long to be ready/);
    expect(started()).toEqual([]);
  });

  it.each(['port', 'data'] as const)(
    'that is refused because of its %s is told apart from a failed one',
    async (why) => {
      await expect(start(send({ type: 'refusal', why }))).rejects.toMatchObject({ reason: why });
      await expect(start('process.exit(7)')).rejects.toThrow(
        /^a process ended before it was ready \(exit code 7\)/,
      );
    },
  );
});
