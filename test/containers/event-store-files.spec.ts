import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canBeOtherUser, OTHER_UID } from '@plaza/event-store/testing';

const script = readFileSync(new URL('../../docker/event-store-files.sh', import.meta.url));
/** Root can read every file. */
const user = canBeOtherUser ? { uid: OTHER_UID, gid: OTHER_UID } : {};

const INDEX_FILE = 'index/5a1a8395-94ee-40c1-bf93-aa757b5887f8';
const files = {
  'chaser.chk': 'chaser',
  'writer.chk': 'writer',
  'chunk-000000.000000': 'first events',
  'chunk-000001.000000': 'last events',
  'index/indexmap': 'map',
  'index/stream-existence/streamExistenceFilter.chk': 'filter',
  [INDEX_FILE]: 'index',
};

let dir = '';
const inDir = (...names: readonly string[]) => join(dir, ...names);
const nodes = ['node-1', 'node-2', 'node-3'];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plaza-files-'));
  if (canBeOtherUser) chownSync(dir, OTHER_UID, OTHER_UID);
});
afterEach(() => rmSync(dir, { recursive: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function addEventStore(node: string, content: Readonly<Record<string, string>> = files): void {
  for (const [name, text] of Object.entries(content)) write(inDir(node, name), text);
  if (canBeOtherUser) spawnSync('chown', ['-R', `${OTHER_UID}:${OTHER_UID}`, inDir(node)]);
}

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('sh', ['-s', ...args], {
    ...user,
    cwd: '/',
    input: script,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DIRECTORIES: nodes.map((node) => inDir(node)).join(' ') },
  });
  return { status, stdout, stderr };
}

/** Content by path, without the replaced files. */
function contentOf(place: string): Record<string, string> {
  const names = readdirSync(inDir(place), { recursive: true, encoding: 'utf8' });
  const wanted = names.filter((name) => !name.startsWith('kept-') && statSync(inDir(place, name)).isFile());
  return Object.fromEntries(wanted.map((name) => [name, readFileSync(inDir(place, name), 'utf8')]));
}

const restored = { ...files, 'truncate.chk': files['chaser.chk'] };

describe("the backup of the event store's files", () => {
  beforeEach(() => addEventStore('node-1'));

  it('copies every file of the first node', () => {
    expect(run('backup', inDir('monday'))).toMatchObject({ status: 0, stderr: '' });
    expect(contentOf('monday')).toEqual(files);
  });

  it.each(['chunk-000000.000000', 'writer.chk', INDEX_FILE])('fails if %s cannot be read', (name) => {
    chmodSync(inDir('node-1', name), 0);
    const { status, stdout, stderr } = run('backup', inDir('monday'));
    expect({ failed: status !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    expect(stderr).toContain(name);
    expect(existsSync(inDir('monday'))).toBe(false);
  });

  it('replaces an unfinished backup, and no finished one', () => {
    mkdirSync(inDir('monday.unfinished'));
    if (canBeOtherUser) chownSync(inDir('monday.unfinished'), OTHER_UID, OTHER_UID);
    expect(run('backup', `${inDir('monday')}/`).status).toBe(0);
    expect(run('backup', inDir('monday'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('name a new directory'),
    });
  });
});

describe("the restore of the event store's files", () => {
  const newer = { 'chaser.chk': 'newer', 'chunk-000002.000000': 'lost' };

  beforeEach(() => {
    addEventStore('monday');
    for (const node of nodes) addEventStore(node, newer);
  });

  it('replaces the files of all nodes, and keeps the replaced ones', () => {
    expect(run('restore', inDir('monday'))).toMatchObject({ status: 0, stderr: '' });
    for (const node of nodes) {
      expect(contentOf(node)).toEqual(restored);
      const kept = readdirSync(inDir(node)).filter((name) => name.startsWith('kept-'));
      expect(kept.map((name) => contentOf(join(node, name)))).toEqual([newer]);
    }
  });

  it('changes no node if a file of the backup cannot be read, and succeeds afterwards', () => {
    chmodSync(inDir('monday', 'chunk-000001.000000'), 0);
    const { status, stdout } = run('restore', inDir('monday'));
    expect({ failed: status !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    for (const node of nodes) expect(contentOf(node)).toMatchObject(newer);

    chmodSync(inDir('monday', 'chunk-000001.000000'), 0o600);
    expect(run('restore', inDir('monday')).status).toBe(0);
    for (const node of nodes) expect(contentOf(node)).toEqual(restored);
  });

  it('changes no node if one has no directory', () => {
    rmSync(inDir('node-3'), { recursive: true });
    expect(run('restore', inDir('monday')).status).not.toBe(0);
    for (const node of ['node-1', 'node-2']) expect(contentOf(node)).toMatchObject(newer);
  });

  it('refuses a directory that is no backup', () => {
    expect(run('restore', inDir('node-4'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has no backup'),
    });
  });
});
