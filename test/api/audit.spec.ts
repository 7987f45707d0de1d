/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await startNetwork();
  const application = await registerApplication(network);
  alice = await signIn(network, application, 'openid read post:create post:edit post:delete');
  bob = await signIn(network, application);
});

afterAll(() => network?.stop());

interface Entry {
  readonly type: string;
  readonly at: number;
  readonly position: number;
  readonly text?: string;
}

/** The entries that `plaza audit` prints, one on each line. */
async function audit(...args: string[]): Promise<Entry[]> {
  const { code, stdout, stderr } = await runPlaza(['audit', ...args], network.env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}

it('plaza audit escapes control characters in the texts of people', async () => {
  const text = 'over\u202etxt.exe \u2066\u200b';
  const id = String((await alice.say(text)).body.post.id);
  const { stdout } = await runPlaza(['audit', '--post', id], network.env);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  expect((JSON.parse(stdout) as Entry).text).toBe(text);
});

const typesIn = (entries: readonly Entry[]) => entries.map(({ type }) => type);

describe('plaza audit', () => {
  it('names the author, the application and the text of a post', async () => {
    const { body } = await alice.say('as it was');
    const id = String(body.post.id);
    const session = await alice.get('/api/session');
    expect(await audit('--post', id)).toEqual([
      {
        position: expect.any(Number),
        at: expect.any(Number),
        type: 'post.created',
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        stream: `post-${id}`,
        revision: 0,
        subject: { postId: id, authorActorId: alice.actorId, appId: alice.appId },
        actorId: alice.actorId,
        appId: alice.appId,
        grantId: session.body.grantId,
        intentId: expect.any(String),
        requestId: expect.any(String),
        addressClass: 'loopback',
        operator: null,
        reason: null,
        text: 'as it was',
      },
    ]);
  });

  it('lists every version of a post, also of a deleted one', async () => {
    const { body } = await alice.say('first');
    const path = `/api/posts/${body.post.id}`;
    await alice.patch(path, { intentId: randomUUID(), revision: 1, text: 'second' });
    await alice.delete(`${path}?intentId=${randomUUID()}&revision=2`);
    const history = await audit('--post', body.post.id);
    expect(history.map(({ type, text }) => [type, text])).toEqual([
      ['post.created', 'first'],
      ['post.edited', 'second'],
      ['post.deleted', undefined],
    ]);
  });

  it('names the operator and the reason of an act as soon as it is acknowledged', async () => {
    await operatorOf(network).setAccountState(bob.actorId, 'suspend', 'a flood');
    const [suspended] = (await audit('--actor', bob.actorId)).slice(-1);
    expect(suspended).toMatchObject({ type: 'account.suspended', operator: 'test', reason: 'a flood' });
    await operatorOf(network).setAccountState(bob.actorId, 'reinstate', 'over');
  });

  it('reads all pages, in the order of the log, and prints each event once', async () => {
    for (let n = 0; n < 120; n++) await alice.say(`number ${n}`);
    const entries = await audit('--actor', alice.actorId, '--app', alice.appId);
    const texts = entries.flatMap(({ text }) => (text?.startsWith('number ') ? [text] : []));
    expect(texts).toEqual(Array.from({ length: 120 }, (_, n) => `number ${n}`));
    const positions = entries.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
  });

  it('begins at the time of --since, and at the first event without it', async () => {
    const all = await audit();
    expect(typesIn(all)).toEqual(expect.arrayContaining(['network.founded', 'application.registered']));
    const newest = all.at(-1);
    const later = await audit('--since', new Date(newest?.at ?? 0).toISOString());
    expect(later.at(-1)).toEqual(newest);
    expect(later.length).toBeLessThan(all.length);
    expect(await audit('--since', '1h', '--actor', alice.actorId)).not.toEqual([]);
    expect(await audit('--since', new Date(Date.now() + 60_000).toISOString())).toEqual([]);
  });

  it('lists the acts under a grant [credentials-bound]', async () => {
    const { body } = await bob.get('/api/session');
    await bob.say('under a grant');
    expect(typesIn(await audit('--grant', body.grantId))).toEqual(['grant.issued', 'post.created']);
  });

  it('prints nothing for an unknown id, and refuses a malformed one', async () => {
    expect(await audit('--post', 'nobody_wrote_this')).toEqual([]);
    const refused = await runPlaza(['audit', '--post', 'no post!'], network.env);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'post (--post): must be an identifier of the network (invalid_request)\n',
    });
  });

  it.each(['?limit=1', '?since=yesterday', '?after=-1', '?actor=a&actor=b'])(
    'refuses the query %s at its address',
    async (query) => {
      const authorization = `Bearer ${network.operatorToken}`;
      const operatorUrl = `http://127.0.0.1:${network.env['OPERATOR_PORT']}`;
      const answer = await fetch(`${operatorUrl}/operator/audit${query}`, { headers: { authorization } });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: expect.any(String), message: expect.any(String) },
      ]);
    },
  );

  it('ends silently when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [plaza, 'audit'], { env: environment(network.env), stdio: 'pipe' });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stderr]).toEqual([0, '']);
  });

  it('marks a text as erased once its author is erased', async () => {
    const vault = new Client({ connectionString: network.env['VAULT_DATABASE_URL'] });
    await vault.connect();
    await vault.query('UPDATE person_key SET key = NULL, destroyed_at = now() WHERE person_id = $1', [
      bob.actorId,
    ]);
    await vault.end();
    await network.restart();
    const entry = (await audit('--actor', bob.actorId)).find(({ type }) => type === 'post.created');
    expect(entry).toMatchObject({ type: 'post.created', erased: true });
    expect(entry).not.toHaveProperty('text');
  });
});
