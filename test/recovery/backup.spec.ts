import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn as authorize } from '../../src/programs/demo/sign-in.js';
import { PostgresWitness } from '../../src/log/witness/postgres-witness.js';
import { operatorOf, registerApplication, send, signIn } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import type { CommandResult } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { backUp, newBackupDir, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { block, removePost, follow, post } from '../support/social.js';
import { until } from '../support/until.js';

const SCOPE = 'openid offline_access read post:create post:delete relation:write block:write';
/** Unique, so that a search in files finds it. */
const mark = randomBytes(12).toString('hex');
const ida = { handle: `ida_${mark}`, displayName: `Ida ${mark}`, email: `ida.${mark}@example.org` };
const password = 'correct horse battery';

let network: TestNetwork;
let copy: TestNetwork;
let application: Application;
let ada: SignedIn;
let bob: SignedIn;
let dir: string;
let earlierPostId: string;
let laterPostIds: readonly string[];
let restored: CommandResult;
let backupResult: CommandResult;

beforeAll(async () => {
  network = await startNetwork();
  application = await registerApplication(network);
  ada = await signIn(network, application, SCOPE);
  bob = await signIn(network, application, SCOPE);
  await operatorOf(network).post('accounts', { ...ida, password });
  earlierPostId = await post(ada, `before ${mark}`);
  await follow(bob, ada);
  await block(ada, await signIn(network, application, SCOPE));
  await removePost(ada, await post(ada, `gone ${mark}`));
  dir = newBackupDir(network);
  laterPostIds = await postDuring(async () => {
    backupResult = await backUp(network, dir);
  });
});

afterAll(async () => {
  await copy?.stop();
  await network?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Ids of the posts that are created during `doing`. */
async function postDuring(doing: () => Promise<void>): Promise<readonly string[]> {
  const posted: string[] = [];
  const load = new AbortController();
  const keepPosting = async () => {
    while (!load.signal.aborted) posted.push(await post(bob, `during ${mark} ${posted.length}`));
  };
  const loads = Promise.all([keepPosting(), keepPosting(), keepPosting()]);
  await doing().finally(() => load.abort());
  await loads;
  return posted;
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

describe('plaza backup', () => {
  it('copies a network while people write, and prints the parts it copied', () => {
    expect([backupResult.code, JSON.parse(backupResult.stdout)]).toEqual([
      0,
      expect.objectContaining({
        dir,
        parts: ['log', 'authority', 'vault', 'witness'].map((part) => expect.objectContaining({ part })),
      }),
    ]);
    expect(laterPostIds.length).toBeGreaterThan(0);
    const parts = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')).parts as { part: string }[];
    for (const { part } of parts) expect(existsSync(join(dir, part, 'manifest.json'))).toBe(true);
  });

  it('reports progress as JSON lines when there is no terminal', () => {
    const lines = backupResult.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { what: string; done: number });
    expect(new Set(lines.map(({ what }) => what))).toEqual(new Set(['log', 'authority', 'vault', 'witness']));
    expect(lines.at(-1)).toMatchObject({ rate: expect.any(Number), secondsLeft: 0 });
  });

  it('writes files that only their owner can read and that contain no personal text or name in clear', () => {
    for (const path of [dir, ...readdirSync(dir).map((name) => join(dir, name))])
      expect(statSync(path).mode & 0o077).toBe(0);
    for (const file of filesIn(dir)) {
      expect([file, (statSync(file).mode & 0o777).toString(8)]).toEqual([file, '600']);
      const content = readFileSync(file);
      for (const form of [mark, Buffer.from(mark).toString('hex'), Buffer.from(mark).toString('base64')])
        expect([file, content.includes(form)]).toEqual([file, false]);
    }
  });

  it('marks the vault part as secret', () => {
    expect(readFileSync(join(dir, 'vault', 'manifest.json'), 'utf8')).toContain('SECRET');
  });

  it('is recorded in the log with operator and reason', async () => {
    const { stdout } = await runPlaza(['audit', '--since', '1h', '--wait'], network.env);
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(entries.filter(({ type }) => type === 'network.backup_begun')).toEqual([
      expect.objectContaining({ reason: 'drill', operator: expect.any(String) }),
    ]);
  });

  it('refuses a directory that is not empty', async () => {
    const { code, stderr } = await backUp(network, dir);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/is not empty; name a directory that is new or empty\n$/),
    ]);
  });

  it.each([[['--parts', 'log,cellar']], [['--parts', '']], [[]]])(
    'rejects %j as wrong usage',
    async (args) => {
      const place = args.length === 0 ? [] : [join(dir, 'new')];
      expect((await runPlaza(['backup', ...place, ...args], network.env)).code).toBe(2);
    },
  );
});

describe('plaza restore into an empty DATA_DIR', () => {
  beforeAll(async () => {
    const empty = newDataDir();
    restored = await restore(empty, dir);
    await restore(empty, dir, '--parts', 'read', '--reason', 'drill, once more');
    copy = await startNetwork({}, empty);
  });

  const readFromCopy = (who: SignedIn, path: string) =>
    send(copy.baseUrl, 'GET', path, { headers: { authorization: `Bearer ${who.token}` } });

  it('prints the parts it restored', () => {
    expect([restored.code, JSON.parse(restored.stdout)]).toEqual([
      0,
      expect.objectContaining({
        parts: ['log', 'read', 'authority', 'vault', 'witness'],
        witnessBrokenAt: null,
      }),
    ]);
  });

  it('restores the posts and accepts the tokens of before the backup', async () => {
    const read = await until(async () => {
      const answer = await readFromCopy(bob, `/api/posts/${earlierPostId}`);
      return answer.status !== 503 && answer;
    });
    expect([read.status, read.body.post?.text]).toEqual([200, `before ${mark}`]);
    const { body } = await readFromCopy(bob, `/api/actors/${ada.actorId}/posts`);
    expect((body.posts as { text: string }[]).map(({ text }) => text)).toEqual([`before ${mark}`]);
    expect((await readFromCopy(bob, `/api/actors/${ada.actorId}`)).body.actor).toMatchObject({
      followers: 1,
    });
  });

  it('lets people sign in with their old password', async () => {
    const { access_token } = await authorize(copy.baseUrl, {
      ...application,
      redirectUri: 'https://pebble.example/callback',
      handle: ida.handle,
      password,
      scope: 'openid read',
    });
    expect(access_token).toEqual(expect.any(String));
  });

  it('restores a witness whose chain is intact', async () => {
    const witness = new PostgresWitness({
      url: copy.env['WITNESS_DATABASE_URL'] ?? '',
      applicationName: 'test',
    });
    expect(
      (await witness.after(0n, 10)).map(({ state, restriction }) => [state, restriction.event.type]),
    ).toEqual([
      ['finalized', 'block.established'],
      ['finalized', 'post.deleted'],
    ]);
    expect(await witness.firstBroken()).toBeUndefined();
    await witness.close();
  });

  it('records each restore in the log with operator and reason, and removes the pre-restore copies', async () => {
    const { stdout } = await runPlaza(['audit', '--since', '1h', '--wait'], copy.env);
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(entries.filter(({ type }) => type === 'network.restored')).toEqual([
      expect.objectContaining({ reason: 'drill, once more', operator: expect.any(String) }),
      expect.objectContaining({ reason: 'drill', operator: expect.any(String) }),
    ]);
    await until(() => !readdirSync(copy.dataDir).some((name) => name.startsWith('kept-')));
  });
});
