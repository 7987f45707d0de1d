/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import type { BatchStatus } from '../../src/operator/people/batch-status.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { enrollInConsole } from '../support/console.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { isSampled } from '../support/sample.js';
import { CHECKS_MS, until } from '../support/until.js';

let network: TestNetwork;
let spammers: readonly SignedIn[];
let bystander: SignedIn;
let flood: string;
let postIds: readonly string[];
let window: readonly string[];

const POSTS = isSampled ? 100 : 300;

const sorted = (ids: readonly string[]) => ids.toSorted((a, b) => a.localeCompare(b));

const operator = () => operatorOf(network);

async function plaza(...args: string[]): Promise<Record<string, never>> {
  const { code, stdout, stderr } = await runPlaza([...args, '--json'], network.env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, never>;
}

async function writePosts(): Promise<readonly string[]> {
  const written: string[] = [];
  for (let n = 0; n < POSTS; n += 20)
    written.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, async (_, k) => {
          const { status, body } = await spammers[k % spammers.length]!.say(`buy pills ${n + k}`);
          expect(status).toBe(200);
          return body.post.id as string;
        }),
      )),
    );
  return written;
}

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network, 'Flood');
  flood = application.clientId;
  const scopes = 'openid read post:create post:delete';
  spammers = await Promise.all([0, 1, 2, 3].map(() => personWithToken(network, application, scopes)));
  bystander = await personWithToken(network, await registerApplication(network, 'Calm'), scopes);
  const from = new Date().toISOString();
  postIds = await writePosts();
  await bystander.say('nothing to do with it');
  window = ['--from', from, '--until', new Date().toISOString()];
});

afterAll(() => network?.stop());

const stateOf = async (postId: string) => (await bystander.get(`/api/posts/${postId}`)).status;

async function restrictionsBy(batchId: string) {
  await runPlaza(['audit', '--wait', '--limit', '1', '--json'], network.env);
  const { stdout } = await runPlaza(['audit', 'type:post.restricted', '--json', '--no-texts'], network.env);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { subject: { postId: string }; cause: string | null; reason: string })
    .filter(({ cause }) => cause === `plaza_batch-${batchId}`);
}

describe('a batch of posts', () => {
  let applied: BatchStatus;
  let [byHand, deleted, liftedSince, restrictedAnew] = ['', '', '', ''];

  it('restricts what its dry run showed, once each, though the process that does it is killed', async () => {
    [byHand = '', deleted = '', liftedSince = '', restrictedAnew = ''] = postIds;
    await operator().post('posts/:id/restrict', { id: byHand, reason: 'earlier' });
    const author = spammers[1 % spammers.length]!;
    expect((await author.delete(`/api/posts/${deleted}?intentId=${randomUUID()}&revision=1`)).status).toBe(
      200,
    );

    const preview = await plaza('app', 'restrict-posts', flood, ...window, '--dry-run');
    expect(preview).toMatchObject({ kind: 'posts', items: POSTS - 2 });
    expect(await stateOf(liftedSince)).toBe(200);

    const plan = { kind: 'posts', appId: flood, from: window[1] ?? '', until: window[3] ?? '' } as const;
    const { batchId } = await operator().post('batches', {
      ...plan,
      digest: preview['digest'] ?? '',
      reason: 'spam',
    });
    await until(async () => (await operator().get('batches/:id', { id: batchId })).done > 50);
    process.kill(network.pids().api ?? 0, 'SIGKILL');
    applied = await until(async () => {
      const status = await operator()
        .get('batches/:id', { id: batchId })
        .catch(() => undefined);
      return status?.state === 'applied' && status;
    }, CHECKS_MS);
    expect(applied).toMatchObject({ items: POSTS - 2, applied: { changed: POSTS - 2, skipped: [] } });
    const restricted = await restrictionsBy(batchId);
    expect(sorted(restricted.map(({ subject: { postId } }) => postId))).toEqual(
      sorted(postIds.filter((postId) => postId !== byHand && postId !== deleted)),
    );
    expect(restricted[0]).toMatchObject({ reason: 'spam', operatorId: 'shared-token' });
    expect(await stateOf(liftedSince)).not.toBe(200);
  });

  it('is undone, but for posts that somebody acted on since', async () => {
    await operator().post('posts/:id/unrestrict', { id: liftedSince, reason: 'no spam' });
    await operator().post('posts/:id/unrestrict', { id: restrictedAnew, reason: 'no spam' });
    await operator().post('posts/:id/restrict', { id: restrictedAnew, reason: 'spam after all' });
    const { batchId } = applied;
    const undone = await plaza('batch', 'undo', batchId, '--reason', 'the wrong application');
    expect(undone).toMatchObject({ state: 'undone', undone: { changed: POSTS - 4 } });
    expect(sorted((undone['undone'] as unknown as { skipped: string[] }).skipped)).toEqual(
      sorted([liftedSince, restrictedAnew]),
    );
    // The log has lifted them: the read models follow.
    await until(async () => (await stateOf(postIds.at(-1) ?? '')) === 200);
    expect(await stateOf(liftedSince)).toBe(200);
    expect(await stateOf(restrictedAnew)).not.toBe(200);
    expect(await stateOf(byHand)).not.toBe(200);
    const [listed] = await operator().get('batches');
    expect(listed).toMatchObject({ batchId, state: 'undone', items: POSTS - 2, reason: 'spam' });
    const again = await plaza('batch', 'undo', batchId, '--reason', 'once more');
    expect(again).toEqual(undone);
  });
});

describe('a batch is refused', () => {
  it('of an application that there is not', async () => {
    await expect(plaza('app', 'restrict-posts', 'nobody', ...window, '--dry-run')).rejects.toThrow(
      'There is no such application.',
    );
  });

  it('if it would change other items than its preview showed', async () => {
    const plan = { kind: 'posts', appId: flood, from: window[1] ?? '', until: window[3] ?? '' } as const;
    const { digest } = await operator().post('batches/preview', plan);
    await operator().post('posts/:id/restrict', { id: postIds.at(-1) ?? '', reason: 'by hand' });
    await expect(operator().post('batches', { ...plan, digest, reason: 'spam' })).rejects.toThrow(
      '(effect_mismatch)',
    );
    await operator().post('posts/:id/unrestrict', { id: postIds.at(-1) ?? '', reason: 'by hand' });
  });

  it.each([
    ['a window that is not over', ['--from', '1h', '--until', '2999-01-01'], 'must lie in the past'],
    ['an empty window', ['--from', '1h', '--until', '2h'], 'must be before until'],
    ['no time', ['--from', 'yesterday', '--until', '1h'], 'must be a time'],
  ])('for %s', async (_what, times, message) => {
    await expect(plaza('app', 'restrict-posts', flood, ...times, '--dry-run')).rejects.toThrow(message);
  });
});

describe('a batch of accounts', () => {
  it('suspends those of a list that are active, and is undone', async () => {
    const [first, second] = spammers.map(({ actorId }) => actorId);
    await operator().post('accounts/:id/suspend', { id: second ?? '', reason: 'earlier' });
    const file = join(network.dataDir, 'spammers.txt');
    writeFileSync(file, `${first}\n${second}\nnobody\n`);
    const from = ['account', 'suspend', '--from', file];
    expect(await plaza(...from, '--dry-run')).toMatchObject({
      items: 1,
      first: [first],
      left: [second, 'nobody'],
    });
    const { batchId, ...status } = await plaza(...from, '--reason', 'spam');
    expect(status).toMatchObject({ state: 'applied', applied: { changed: 1, skipped: [] } });
    expect((await spammers[0]!.get('/api/profile')).status).toBe(403);
    expect(await plaza('batch', 'undo', batchId ?? '', '--reason', 'no spam')).toMatchObject({
      undo: { operatorId: 'shared-token', reason: 'no spam', requestedAt: expect.any(Number) },
      undone: { changed: 1, skipped: [] },
    });
    const { operatorBaseUrl } = readConfig(network.env);
    const { browser } = await enrollInConsole(operatorBaseUrl, operator(), ['moderator']);
    const page = await browser.open(`${operatorBaseUrl}/console/batches/${batchId}`);
    expect(page.text).toMatch(/<dt>undo by<\/dt>[^]*<dt>why undone<\/dt>\s*<dd>no spam<\/dd>/);
    expect((await spammers[0]!.get('/api/profile')).status).toBe(200);
    expect((await spammers[1]!.get('/api/profile')).status).toBe(403);
  });

  it('refuses a list that is too long for one batch, and says what to do', async () => {
    const file = join(network.dataDir, 'too-many.txt');
    writeFileSync(file, Array.from({ length: 2_001 }, (_, at) => `nobody${at}`).join('\n'));
    await expect(plaza('account', 'suspend', '--from', file, '--dry-run')).rejects.toThrow(
      'names 2001 accounts, and one batch takes at most 2000',
    );
  });
});
