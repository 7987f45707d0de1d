import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

const check = fileURLToPath(new URL('../../checks/rooms.mjs', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plaza-rooms-'));
  write('src/domain/post/post.ts');
  write('src/base/store/database.ts');
  write('src/log/event-log.ts', '../domain/post/post.js', '../base/store/database.js');
});

afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, ...imports: readonly string[]): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), imports.map((target) => `import type { X } from '${target}';\n`).join(''));
}

function faults() {
  const { status, stdout } = spawnSync(process.execPath, [check, root], { encoding: 'utf8' });
  return { status, faults: stdout.split('\n').slice(1, -1) };
}

it('a house whose arrows go down has no fault, and specs may look everywhere', () => {
  write('src/domain/post/post.unit.spec.ts', '../../log/event-log.js');
  write('src/log/vault/vault.ts', '../event-log.js');
  expect(faults()).toEqual({ status: 0, faults: [] });
});

it.each([
  ['static import', "import { X } from '../log/event-log.js';"],
  ['import of a type', "export type { X } from '../log/event-log.js';"],
  ['import that runs', "const x = await import('../log/event-log.js');"],
])('an arrow that climbs is named with its files: a %s', (_name, line) => {
  writeFileSync(join(root, 'src/base/later.ts'), line);
  expect(faults()).toEqual({
    status: 1,
    faults: [
      'src/base → src/log climbs:',
      '  src/base/later.ts → src/log/event-log.ts',
      'circle: src/base, src/log',
    ],
  });
});

it('a circle of three parts inside of a room is named, and a room that only reaches it is not', () => {
  write('src/log/a/one.ts', '../b/two.js');
  write('src/log/b/two.ts', '../c.js');
  write('src/log/c.ts', './a/one.js');
  write('src/log/d/four.ts', '../a/one.js');
  expect(faults()).toEqual({ status: 1, faults: ['circle in src/log: a, b, c.ts'] });
});

it('a folder that has no floor is named', () => {
  write('src/attic/box.ts', '../domain/post/post.js');
  expect(faults().faults).toContain('src/attic has no floor');
});
