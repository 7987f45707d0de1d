import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shuffled } from './report.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

let directory: string;
let config: string;
const fileOf = (name: string) => join(directory, `${name}.spec.cjs`);

/** A project with a file that passes, and one that fails every second time. */
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'plaza-shaken-'));
  config = join(directory, 'jest.config.mjs');
  writeFileSync(config, `export default { testMatch: ['**/*.spec.cjs'], transform: {} };`);
  writeFileSync(fileOf('steady'), `test('passes', () => undefined);`);
  writeFileSync(
    fileOf('flaky'),
    `const { appendFileSync, readFileSync } = require('node:fs');
    const count = '${join(directory, 'count')}';
    test('passes now and then', () => {
      appendFileSync(count, 'x');
      expect(readFileSync(count).length % 2).toBe(1);
    });`,
  );
});

afterAll(() => rmSync(directory, { recursive: true }));

async function shake(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const child = spawn(process.execPath, [main, '--config', config, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, lines: output.trimEnd().split('\n') };
}

describe('the shake runner', () => {
  it('runs every file as often as requested, and reports the failures with count and place', async () => {
    const { code, lines } = await shake('--times', '4', '--jobs', '2', '--seed', '7');
    expect(lines[0]).toBe('8 runs of 2 files, seed 7');
    expect(lines.filter((line) => line.startsWith('passed'))).toHaveLength(6);
    expect(lines.filter((line) => /^FAILED .*flaky\.spec\.cjs/.test(line))).toHaveLength(2);
    expect(lines.at(-2)).toMatch(/^failed 2 times: .*flaky\.spec\.cjs: passes now and then/);
    expect(lines.at(-1)).toBe('8 runs, 2 failed');
    expect(code).toBe(1);
  });

  it('runs the named files, even under load, and succeeds without failures', async () => {
    const { code, lines } = await shake('--load', '--seed', '7', fileOf('steady'));
    expect(lines[0]).toBe('1 runs of 1 files, seed 7, under load');
    expect(lines.at(-1)).toBe('1 runs, 0 failed');
    expect(code).toBe(0);
  });

  it('uses the same order for the same seed, and another for another seed', () => {
    const items = Array.from({ length: 100 }, (_, index) => index);
    expect(shuffled(items, 7)).toEqual(shuffled(items, 7));
    expect(shuffled(items, 7)).not.toEqual(shuffled(items, 8));
    expect(shuffled(items, 7).toSorted((one, other) => one - other)).toEqual(items);
  });

  it('rejects wrong usage', async () => {
    expect((await shake('--times', 'often')).code).toBe(2);
  });
});
