import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { environment } from '../support/command.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A project with this one's Jest settings. */
let directory: string;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'plaza-reported-')));
  write(
    'jest.config.mjs',
    `import own from '${join(root, 'jest.config.mjs')}';
    export default {
      ...own,
      rootDir: '${directory}',
      roots: ['${directory}'],
      testEnvironment: '${join(root, 'test/support/sample.environment.mjs')}',
      testSequencer: '${join(root, 'test/support/run-order.sequencer.mjs')}',
      globalSetup: '${join(root, 'test/support/run.setup.mjs')}',
      globalTeardown: '${join(root, 'test/support/run.teardown.mjs')}',
      runtime: '${join(root, 'test/support/native.runtime.mjs')}',
      reporters: ['${join(root, 'test/conformance/run.reporter.mjs')}'],
    };`,
  );
  write(
    'posts.spec.ts',
    `import { recordRefusal, recordRefusalOnPage } from '${join(root, 'test/support/recorded-refusals.ts')}';
    recordRefusal(404, { error: 'before_any_test' });
    describe('a post [of-all]', () => {
      it.each([404, 404])('is not found by %d [post-a, post-b]', (status) => {
        recordRefusal(status, { error: 'not_found' });
        recordRefusal(200, { post: {} });
        recordRefusal(204, undefined);
        recordRefusalOnPage(403, '<p class="small quiet">origin_required</p>');
        recordRefusalOnPage(200, '<p>Welcome</p>');
      });
      it('fails', () => {
        recordRefusal(500, { error: 'server_error' });
        throw new Error('as it must');
      });
      it.skip('is skipped [post-c]', () => undefined);
    });`,
  );
});

afterAll(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(directory, name), text);

/** Contents of artifacts/run.json after a run; undefined: no such file. */
async function runAndRead(...args: string[]): Promise<unknown> {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [jest, '--config', join(directory, 'jest.config.mjs'), ...args], {
    cwd: directory,
    env: environment(),
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const file = join(directory, 'artifacts', 'run.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const outcome = (title: string, ids: string[], status: string) => ({
  file: 'posts.spec.ts',
  titles: ['a post', title],
  ids: ['of-all', ...ids],
  status,
});

describe('artifacts/run.json', () => {
  it('is not written by a run of some tests', async () => {
    expect(await runAndRead('posts')).toBeUndefined();
    expect(await runAndRead('--testNamePattern', 'found')).toBeUndefined();
  });

  it('has the outcome of each test of a whole run, and the codes that passing tests were answered with', async () => {
    const test = 'a post [of-all] is not found by 404 [post-a, post-b]';
    const recorded = {
      outcomes: [
        outcome('is not found by 404', ['post-a', 'post-b'], 'passed'),
        outcome('is not found by 404', ['post-a', 'post-b'], 'passed'),
        outcome('fails', [], 'failed'),
        outcome('is skipped', ['post-c'], 'pending'),
      ],
      answered: [
        { code: 'not_found', status: 404, file: 'posts.spec.ts', test },
        { code: 'origin_required', status: 403, file: 'posts.spec.ts', test },
      ],
    };
    expect(await runAndRead()).toEqual(recorded);
    // A partial run keeps the file.
    expect(await runAndRead('nothing')).toEqual(recorded);
  });
});
