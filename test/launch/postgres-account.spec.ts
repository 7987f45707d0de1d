import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../support/command.js';

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;
const MODULE = pathToFileURL(join(root, 'dist', 'src', 'launch', 'postgres', 'system-account.js')).href;

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plaza-account-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

/** The account that a start chooses, or its error, on a machine with root and this account alone. */
function accountOnMachineWith(known: string): string {
  const id = join(dataDir, 'id');
  writeFileSync(id, `#!/bin/sh\n[ "$2" = "${known}" ] && echo 4711 && exit\nexit 1\n`);
  chmodSync(id, 0o755);
  const script = `
    import { accountForPostgres } from '${MODULE}';
    try {
      console.log(JSON.stringify(accountForPostgres(process.argv[1])));
    } catch (error) {
      console.log(error.message);
    }`;
  const args = ['--input-type=module', '--eval', script, dataDir];
  return spawnSync(process.execPath, args, { env: { PATH: dataDir }, encoding: 'utf8' }).stdout;
}

asRoot('the account of a Postgres that root starts (needs root)', () => {
  it('is the owner of DATA_DIR', () => {
    chownSync(dataDir, 12_345, 12_346);
    expect(JSON.parse(accountOnMachineWith('postgres'))).toEqual({ uid: 12_345, gid: 12_346 });
  });

  it('is postgres if root owns DATA_DIR', () => {
    expect(JSON.parse(accountOnMachineWith('postgres'))).toEqual({ uid: 4711, gid: 4711 });
  });

  it('is never nobody: the start fails and names the command that creates one', () => {
    expect(accountOnMachineWith('nobody')).toContain('run `useradd --system postgres`');
  });
});
