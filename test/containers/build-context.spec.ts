/** @slow */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../support/command.js';

/** Sources of the image, by .dockerignore, without those that it excludes again. */
const admitted = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));
const isExcluded = (path: string) => /\.spec\.ts$|\/\.env|packages\/[^/]+\/(?:test|dist)$/.test(path);

let context: string;

beforeAll(() => {
  context = mkdtempSync(join(tmpdir(), 'plaza-context-'));
  for (const path of admitted)
    cpSync(join(root, path), join(context, path), { recursive: true, filter: (each) => !isExcluded(each) });
  symlinkSync(join(root, 'node_modules'), join(context, 'node_modules'));
});

afterAll(() => rmSync(context, { recursive: true }));

describe('the image', () => {
  it('has the guide in its build, since it has no docs', async () => {
    await promisify(execFile)(process.execPath, ['bin/build.mjs'], { cwd: context });
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain('COPY --from=build /plaza/dist ./dist');
    rmSync(join(context, 'docs'), { recursive: true });
    expect(existsSync(join(context, 'dist/bundle/api.js'))).toBe(true);
    const built = join(context, 'dist/src/doors/api/resources/docs/guide/guide.js');
    const { readGuide } = (await import(
      built
    )) as typeof import('../../src/doors/api/resources/docs/guide/guide.js');
    expect(readGuide().sections.map(({ id }) => id)).toContain('sign-a-person-in');
  });
});
