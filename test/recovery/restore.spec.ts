/**
 * One network that is backed up, then restored, case after case.
 *
 * @sample first
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backupParts } from '../../src/recovery/backup/format/manifest.js';
import { beginRestore } from '../../src/recovery/backup/restore/restore-state.js';
import { checkBackup } from '../../src/recovery/backup/restore/checked-backup.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { backUp, destroyLog, newBackupDir, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { removePost, post } from '../support/social.js';

let network: TestNetwork;
let dir: string;
let ada: SignedIn;
let clientId: string;
let keptPostId: string;
let deletedPostId: string;
let lostPostId: string;

const rename = (name: string) =>
  operatorOf(network).post('applications/:id/update', { id: clientId, name, reason: 'a test' });

const check = (place: string) => checkBackup(place, backupParts, () => undefined);

beforeAll(async () => {
  network = await startNetwork();
  const application = await registerApplication(network);
  ({ clientId } = application);
  ada = await personWithToken(network, application, 'openid read post:create post:delete');
  keptPostId = await post(ada, 'kept');
  deletedPostId = await post(ada, 'gone');
  await rename('Boulder');
  dir = newBackupDir(network);
  await backUp(network, dir);
  await rename('Cliff');
  await removePost(ada, deletedPostId);
  lostPostId = await post(ada, 'lost');
  await personWithToken(network, application);
});

afterAll(async () => {
  await network?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The fault of a copy of the backup after `act` damaged it. */
async function faultOfDamagedCopy(act: (copy: string) => void): Promise<unknown> {
  const copy = `${dir}-${randomUUID()}`;
  cpSync(dir, copy, { recursive: true });
  try {
    act(copy);
    return await check(copy).then(
      () => 'nothing was found',
      (error: Error) => error.message,
    );
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function flipIn(path: string): void {
  const content = readFileSync(path);
  const middle = content.length >> 1;
  content[middle] = (content[middle] ?? 0) ^ 1;
  writeFileSync(path, content);
}

const largestOf = (place: string) =>
  readdirSync(place)
    .filter((name) => name !== 'manifest.json')
    .sort((a, b) => readFileSync(join(place, b)).length - readFileSync(join(place, a)).length)[0] ?? '';

describe('a damaged backup', () => {
  it.each(backupParts)('is detected by one flipped bit in the part %s', async (part) => {
    expect(await faultOfDamagedCopy((copy) => flipIn(join(copy, part, largestOf(join(copy, part)))))).toMatch(
      /was altered or damaged: its checksum is not that of the backup$/,
    );
    expect(await faultOfDamagedCopy((copy) => flipIn(join(copy, part, 'manifest.json')))).toMatch(
      /altered or damaged/,
    );
  });

  it('is detected by a missing or truncated file', async () => {
    const file = (copy: string) => join(copy, 'log', largestOf(join(copy, 'log')));
    expect(await faultOfDamagedCopy((copy) => rmSync(file(copy)))).toMatch(/is missing from the backup$/);
    expect(
      await faultOfDamagedCopy((copy) => writeFileSync(file(copy), readFileSync(file(copy)).subarray(1))),
    ).toMatch(/was altered or damaged: it has \d+ bytes and had \d+$/);
  });

  it('is detected by a missing part, or a part of another backup or network', async () => {
    expect(
      await faultOfDamagedCopy((copy) => renameSync(join(copy, 'vault'), join(copy, 'elsewhere'))),
    ).toMatch(
      /^the part vault is not in .*: if it is kept elsewhere, copy it to .*, else leave it out with --parts$/,
    );
    const edit = (field: string) => (copy: string) => {
      const file = join(copy, 'witness', 'manifest.json');
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), [field]: 'another' }));
    };
    expect(await faultOfDamagedCopy(edit('networkId'))).toMatch(
      /is of another network: another, and the backup is of /,
    );
    expect(await faultOfDamagedCopy(edit('backupId'))).toMatch(
      /is of another backup: another, and this is backup /,
    );
  });

  it('is refused without its manifest', async () => {
    expect(await faultOfDamagedCopy((copy) => rmSync(join(copy, 'manifest.json')))).toMatch(/is no backup/);
  });
});

describe('plaza restore', () => {
  it('refuses while the network runs', async () => {
    const { code, stderr } = await restore(network.dataDir, dir);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR: a network is already running on /)]);
  });

  it.each([['log,cellar'], ['']])('rejects parts %j as wrong usage', async (parts) => {
    expect(await restore(network.dataDir, dir, '--parts', parts)).toMatchObject({ code: 2 });
  });

  it('refuses to lose records of the witness or the vault, and changes nothing', async () => {
    await network.halt();
    const witness = await restore(network.dataDir, dir, '--parts', 'witness');
    expect([witness.code, witness.stderr]).toEqual([
      1,
      expect.stringMatching(/^the current witness knows restrictions since/m),
    ]);
    const vault = await restore(network.dataDir, dir, '--parts', 'vault');
    expect([vault.code, vault.stderr]).toEqual([
      1,
      expect.stringMatching(/^the current vault has 1 keys that the backup lacks/m),
    ]);
    await network.restart();
    expect(await ada.get(`/api/posts/${lostPostId}`)).toMatchObject({ status: 200 });
  });

  it('keeps the old data when it is killed, or tells the next start which command to run', async () => {
    await network.halt();
    await killedAt('checking');
    await killedAt('restoring');
    expect(existsSync(join(network.dataDir, 'eventstore'))).toBe(true);
    const command = `plaza restore ${dir} --parts log`;
    beginRestore(network.dataDir, command, ['log']);
    const start = await runPlaza(['start'], { DATA_DIR: network.dataDir });
    expect([start.code, start.stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringContaining(
        `was interrupted, so old and new data are mixed; run it again to its end: ${command}`,
      ),
    ]);
  });

  it('replaces a destroyed log and read store, and keeps a newer witness', async () => {
    destroyLog(network);
    const { code, stdout, stderr } = await restore(network.dataDir, dir);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      witnessKept: true,
      parts: ['log', 'read', 'authority', 'vault'],
    });
  });

  it('leaves missing restrictions to a recovery: nothing is served, and the old data is kept', async () => {
    await network.restart();
    expect(await ada.get(`/api/posts/${deletedPostId}`)).toMatchObject({ status: 503 });
    expect(await ada.get(`/api/posts/${keptPostId}`)).toMatchObject({ status: 503 });
    expect(readdirSync(network.dataDir).filter((name) => name.startsWith('kept-'))).toHaveLength(1);
  });

  it('has applications as they were changed up to the backup', async () => {
    const listed = await operatorOf(network).get('applications');
    expect(listed.find((each) => each.clientId === clientId)?.name).toBe('Boulder');
  });
});

/** Kills a restore when it reports this step. */
async function killedAt(step: string): Promise<void> {
  const child = spawn(process.execPath, [plaza, 'restore', dir], {
    env: environment({ DATA_DIR: network.dataDir }),
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes(`"what":"${step}"`)) child.kill('SIGKILL');
  });
  await once(child, 'close');
}
