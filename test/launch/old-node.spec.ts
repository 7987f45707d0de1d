import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { root } from '../support/command.js';

/** Makes this Node say that it is an older one. */
const OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.2'}})`;

let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'plaza-node-'));
  cpSync(join(root, 'bin/plaza.mjs'), join(copy, 'bin/plaza.mjs'));
  mkdirSync(join(copy, 'dist/bundle'), { recursive: true });
  writeFileSync(join(copy, 'dist/bundle/plaza.js'), 'console.log(process.versions.node)');
});

afterEach(() => rmSync(copy, { recursive: true }));

function runOnOldNode() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', OLD, join(copy, 'bin/plaza.mjs')],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('plaza on a Node that is too old', () => {
  it('runs on the Node that npm ci has brought', () => {
    const node = join(copy, 'node_modules/node');
    mkdirSync(join(node, 'bin'), { recursive: true });
    writeFileSync(join(node, 'package.json'), '{}');
    symlinkSync(process.execPath, join(node, 'bin/node'));
    expect(runOnOldNode()).toEqual({ status: 0, stdout: `${process.versions.node}\n`, stderr: '' });
  });

  it('says in one sentence what it needs where npm ci left that out', () => {
    const { status, stdout, stderr } = runOnOldNode();
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^Plaza needs Node 24 or newer, .+ `npm ci` without --omit=dev, which brings it\n$/,
    );
  });
});
