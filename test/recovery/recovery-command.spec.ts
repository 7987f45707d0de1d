/**
 * Each case goes on where the one before has ended.
 * @sample first
 * @waits
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { copyLog, replaceLog } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { deletePost, createPost } from '../support/posts.js';
import { recordRefusal } from '../support/recorded-refusals.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { describeOnTerminal, runOnTerminal } from '../support/terminal.js';
import { CHECKS_MS, until } from '../support/until.js';

const scopes = 'openid read post:create post:delete relation:write block:read block:write';

let network: TestNetwork;
let witness: TestPostgres;
let toWitness: TcpProxy;
let application: Application;
let ada: SignedIn;
let bob: SignedIn;
let eve: SignedIn;

const logCopy = () => join(network.dataDir, 'eventstore-kept');

/** Replaces the log with its copy. */
async function rollBackLog(): Promise<void> {
  await network.killAll('SIGKILL');
  replaceLog(network, logCopy());
  await network.restart();
}

beforeAll(async () => {
  witness = await startTestPostgres();
  const url = new URL(await witness.createDatabase());
  toWitness = await startTcpProxy(Number(url.port));
  url.port = String(toWitness.port);
  network = await startNetwork({ WITNESS_DATABASE_URL: url.href });
  application = await registerApplication(network);
  ada = await personWithToken(network, application, scopes);
  bob = await personWithToken(network, application, scopes);
  eve = await personWithToken(network, application, scopes);
});

afterAll(async () => {
  await network?.stop();
  await toWitness?.close();
  await witness?.stop();
});

async function plazaJson<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await runPlaza([...args, '--json'], network.env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code}\n${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

interface Status {
  readonly state: string;
  readonly reason: string | null;
  readonly incarnation: string;
  readonly witness: {
    readonly epochs: object;
    readonly unsettled: number;
    readonly brokenLine: number | null;
    readonly missing: { readonly count: number; readonly byType: object; readonly first: object[] };
  };
  readonly retired: readonly { readonly incarnation: string }[];
}

const status = () => plazaJson<Status>('recovery', 'status');
const intent = () => ({ intentId: randomUUID() });
const repost = (who: SignedIn, intentId: string) => who.say('lost', { intentId });

describe('on a healthy network', () => {
  it('status reports it, plan and apply do nothing, and a rollback is refused', async () => {
    expect(await status()).toMatchObject({ state: 'serving', reason: null, retired: [] });
    expect(await plazaJson('recovery', 'plan')).toMatchObject({
      isNeeded: false,
      restrictions: { count: 0 },
    });
    expect(await plazaJson('recovery', 'apply')).toEqual({ job: null });
    const { code, stderr } = await runPlaza(['recovery', 'rollback'], network.env);
    expect([code, stderr]).toEqual([
      1,
      'No earlier incarnation is kept: a rollback is not possible. (not_found)\n',
    ]);
  });
});

describe('while the witness does not answer', () => {
  it('plan and apply fail, and status reports the fault', async () => {
    const unavailable = 'recovery_unavailable';
    toWitness.loseAnswers();
    for (const verb of ['plan', 'apply']) {
      const { code, stderr } = await runPlaza(['recovery', verb], network.env);
      expect([code, stderr]).toEqual([1, expect.stringContaining(unavailable)]);
    }
    expect(await status()).toMatchObject({ witness: null, witnessFault: expect.any(String) });
    const headers = { authorization: `Bearer ${network.operatorToken}` };
    const url = `http://127.0.0.1:${network.env['OPERATOR_PORT']}/operator/recovery/plan`;
    const answer = await fetch(url, { headers });
    const body = (await answer.json()) as object;
    recordRefusal(answer.status, body);
    expect([answer.status, answer.headers.get('retry-after'), body]).toEqual([
      503,
      expect.any(String),
      { error: unavailable, message: expect.any(String) },
    ]);
    toWitness.reset();
    await until(async () => (await status()).witness);
  });
});

describe('after a rollback of the log', () => {
  let old: string;
  let before: Status;
  const lost = { deleted: randomUUID(), kept: randomUUID() };
  let lostPost: string;

  it('the network is quarantined, gives the reason, and plans the recovery', async () => {
    old = await createPost(ada);
    await eve.put(`/api/relations/follow/${ada.actorId}`, intent());
    copyLog(network, logCopy());

    await deletePost(ada, old);
    lostPost = (await repost(ada, lost.deleted)).body.post.id;
    await deletePost(ada, lostPost);
    await repost(ada, lost.kept);
    await ada.put(`/api/blocks/${eve.actorId}`, intent());
    await ada.put(`/api/blocks/${bob.actorId}`, intent());
    await ada.delete(`/api/blocks/${bob.actorId}?intentId=${randomUUID()}`);
    await operatorOf(network).post('accounts/:id/suspend', { id: bob.actorId, reason: 'spam' });
    before = await status();
    await rollBackLog();

    await until(async () => (await status()).state === 'quarantined', CHECKS_MS);
    expect((await status()).reason).toContain('The log was rolled back');
    expect((await ada.get('/api/timeline')).body.error).toBe('recovery_quarantined');
    expect(await plazaJson('recovery', 'plan')).toMatchObject({
      isNeeded: true,
      refused: null,
      needsReseed: false,
      restrictions: {
        count: 6,
        byType: {
          'post.deleted': 2,
          'block.established': 2,
          'block.ended': 1,
          'account.suspended': 1,
        },
      },
    });
  });

  describeOnTerminal('on a terminal', () => {
    it('the plan lists the first missing restrictions as a table', async () => {
      const { lines } = await runOnTerminal(['recovery', 'plan'], network.env);
      const headings = lines.findIndex((line) => /^ {2}EPOCH +TYPE +TIME +STREAM$/.test(line));
      const rows = lines.slice(headings + 1, headings + 7);
      expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual(
        [
          ['post.deleted', `post-${old}`],
          ['post.deleted', `post-${lostPost}`],
          ['block.established', expect.any(String)],
          ['block.established', expect.any(String)],
          ['block.ended', expect.any(String)],
          ['account.suspended', `account-${bob.actorId}`],
        ].map(([type, stream]) => [
          expect.stringMatching(/^\d+$/),
          type,
          expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
          stream,
        ]),
      );
    });
  });

  it('a routine rebuild is refused', async () => {
    const { code, stderr } = await runPlaza(['projections', 'rebuild'], network.env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(recovery_quarantined)')]);
  });

  it('apply appends every restriction again, and the network serves', async () => {
    const { job } = await plazaJson<{ job: object }>('recovery', 'apply', '--reason', 'the disk broke');
    expect(job).toMatchObject({ kind: 'recover', state: 'published' });
    const after = await status();
    expect(after).toMatchObject({
      state: 'serving',
      witness: { epochs: before.witness.epochs, unsettled: 0, brokenLine: null, missing: { count: 0 } },
    });
    expect(after.incarnation).not.toBe(before.incarnation);
  });

  it('every restriction holds', async () => {
    expect((await send(network.baseUrl, 'GET', `/api/posts/${old}`)).status).toBe(404);
    expect((await ada.get('/api/blocks')).body.blocks).toEqual([eve.actorId]);
    expect((await eve.get('/api/relations')).body.relations).toEqual([]);
    expect((await eve.get(`/api/actors/${ada.actorId}`)).status).toBe(404);
    expect((await bob.get('/api/session')).body.error).toBe('social_authority_required');
  });

  it('lost intents are reported and may be repeated, except deleted posts', async () => {
    const gone = { id: lostPost, status: 'deleted' };
    expect((await repost(ada, lost.deleted)).body.post).toMatchObject(gone);
    // The text is lost, so another one gets the same answer.
    expect((await ada.say('another', { intentId: lost.deleted })).body.post).toMatchObject(gone);
    expect((await repost(ada, lost.kept)).body.post.status).toBe('published');
    expect((await repost(ada, lost.kept)).body.post.status).toBe('published');
    const { posts } = (await ada.get(`/api/actors/${ada.actorId}/posts`)).body;
    expect(posts.map(({ text }: { text: string }) => text)).toEqual(['lost']);
  });

  it('a rollback to the read models of the lost log is refused', async () => {
    const { code, stderr } = await runPlaza(['recovery', 'rollback'], network.env);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be published again');
  });

  it('the audit shows the recovery', async () => {
    const { code, stdout } = await runPlaza(['audit', '--since', '1h', '--wait', '--json'], network.env);
    expect(code).toBe(0);
    expect(stdout).toContain('network.recovery_applied');
    expect(stdout).toContain('the disk broke');
  });

  it('the network accepts new posts', async () => {
    const intentId = randomUUID();
    const id = await until(async () => (await ada.say('as it was', { intentId })).body.post?.id as unknown);
    expect((await send(network.baseUrl, 'GET', `/api/posts/${String(id)}`)).status).toBe(200);
    expect(
      (await plazaJson<{ projections: { lag: number | null }[] }>('projections', 'status')).projections.map(
        ({ lag }) => lag === null,
      ),
    ).not.toContain(true);
  });
});
