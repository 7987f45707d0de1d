import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runPlaza } from '../support/command.js';
import { ExportBench, positionsOf } from './support/export-bench.js';

/** More than an export reads at once, so that it is not complete when it is stopped. */
const [WRITES, POSTS] = [25, 400];

/** Presses Ctrl-C when the export shows its first progress. */
const HOOK = `
  const write = process.stderr.write;
  process.stderr.write = function (text, ...rest) {
    if (String(text).startsWith('{"what":"events"')) process.kill(process.pid, 'SIGINT');
    return write.call(this, text, ...rest);
  };`;

let bench: ExportBench;

beforeAll(async () => {
  bench = await ExportBench.open();
  for (let write = 0; write < WRITES; write++) await bench.appendTogether(POSTS);
});

afterAll(() => bench?.close());

it.each([{ options: [] }, { options: ['--rebuild'] }])(
  'Ctrl-C ends an export, and the next run goes on: %j',
  async ({ options }) => {
    const dir = bench.newDir();
    const logged = await bench.logged();
    const hook = join(bench.newDir(), 'hook.mjs');
    writeFileSync(hook, HOOK);
    if (options.length > 0) await bench.plaza('export', dir);
    const stopped = await runPlaza(['analytics', 'export', dir, ...options], {
      ...bench.env,
      NODE_OPTIONS: `--import ${hook}`,
    });
    const exported = await positionsOf(dir);
    const message = `stopped at position ${exported.at(-1)}; run plaza analytics export ${dir} to go on from there`;
    expect([stopped.code, stopped.stdout, stopped.stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      '',
      message,
    ]);
    expect([exported.length > 0, exported.length < logged.length]).toEqual([true, true]);
    expect(exported).toEqual(logged.slice(0, exported.length));
    const { stdout } = await bench.plaza('export', dir, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ events: logged.length - exported.length });
    expect(await positionsOf(dir)).toEqual(logged);
  },
);
