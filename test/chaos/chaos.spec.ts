import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { faultsOf } from '../../chaos/faults.js';
import { Random } from '../../chaos/random.js';
import { isAlive } from '../../src/launch/processes.js';
import { isSampled } from '../support/sample.js';
import { until } from '../support/until.js';
import { chaos, clearUp, nothing, startChaos } from './support/run-chaos.js';

afterEach(clearUp);

const ROUNDS = isSampled ? 1 : 3;

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
    expect(seed).toMatchObject({ seed: 38 });
    expect(rest.slice(0, -1).map(({ fault }) => fault)).toEqual(
      ['freeze Postgres for 2721 ms', 'kill event store', 'kill API'].slice(0, ROUNDS),
    );
    expect(Number(rest[0]?.['writesGoneMs'])).toBeGreaterThan(2_000);
    expect(Number(closing?.['acknowledged'])).toBeGreaterThan(8 * 3 * ROUNDS);
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

describe('the options of chaos', () => {
  it.each([
    [['--rounds', 'many'], 'whole number'],
    [['--node-pid-file', 'one'], 'go together'],
    [['--other'], 'unknown option'],
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
