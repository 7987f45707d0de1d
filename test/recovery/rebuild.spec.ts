import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let database: Client;
let ada: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  ada = await personWithToken(network, await registerApplication(network), 'openid read post:create');
  for (let index = 0; index < 20; index++) await ada.say(`post ${index}`);
});

afterAll(async () => {
  await database?.end();
  await network?.stop();
});

const published = async (): Promise<string> => {
  const { rows } = await database.query<{ incarnation: string }>(
    'SELECT incarnation FROM recovery.publication',
  );
  return rows[0]?.incarnation ?? '';
};

async function runPlazaJson<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await runPlaza([...args, '--json'], network.env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code}\n${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

const jobs = async (): Promise<readonly { readonly state: string }[]> =>
  (await database.query<{ state: string }>('SELECT state FROM recovery.job ORDER BY requested_at DESC')).rows;

interface Job {
  readonly state: string;
  readonly incarnation: string | null;
}

describe('plaza projections rebuild', () => {
  it('builds beside the published read models and switches without an error or a step back for readers', async () => {
    const before = await published();
    const reading = new AbortController();
    const observations: { status: number; revision: bigint; posts: number }[] = [];
    const reader = (async () => {
      while (!reading.signal.aborted) {
        const { status, headers, body } = await ada.get('/api/timeline');
        const revision = BigInt(headers.get('x-network-revision') ?? '-1');
        observations.push({ status, revision, posts: body.posts?.length });
      }
    })();
    let postCount = 20;
    const writer = (async () => {
      while (!reading.signal.aborted) {
        const said = await ada.say(`post ${postCount}`);
        expect(said).toMatchObject({ status: 200 });
        postCount += 1;
        const { body } = await ada.get('/api/timeline?limit=1');
        expect(body).toMatchObject({ posts: [{ text: `post ${postCount - 1}` }] });
      }
    })();
    const job = await runPlazaJson<Job>('projections', 'rebuild', '--reason', 'a test');
    await until(() => observations.length > 20);
    reading.abort();
    await Promise.all([reader, writer]);
    expect(job).toMatchObject({ state: 'published', incarnation: await published() });
    expect(await published()).not.toBe(before);
    expect(new Set(observations.map(({ status }) => status))).toEqual(new Set([200]));
    for (const [index, { revision }] of observations.entries())
      expect(revision).toBeGreaterThanOrEqual(observations[index - 1]?.revision ?? 0n);
  });

  it('is paused by Ctrl-C, and resumed by the same command', async () => {
    const { length: before } = await jobs();
    const { worker = 0 } = network.pids();
    process.kill(worker, 'SIGSTOP');
    const child = spawn(process.execPath, [plaza, 'projections', 'rebuild'], {
      env: environment(network.env),
      stdio: 'pipe',
    });
    const result = Promise.all([once(child, 'close'), text(child.stderr)]);
    await until(async () => (await jobs()).some(({ state }) => state === 'requested'));
    child.kill('SIGINT');
    const [[code], stderr] = await result;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/paused, .* run: plaza projections rebuild$/m)]);
    expect((await jobs())[0]?.state).toBe('paused');
    process.kill(worker, 'SIGCONT');
    expect(await runPlazaJson<Job>('projections', 'rebuild')).toMatchObject({ state: 'published' });
    expect(await jobs()).toHaveLength(before + 1);
  });

  it('survives a kill of its worker', async () => {
    const { worker = 0 } = network.pids();
    const { id } = await operatorOf(network).post('projections/rebuild', { names: [], reason: 'a test' });
    process.kill(worker, 'SIGKILL');
    await until(async () => (await operatorOf(network).get('jobs/:id', { id })).state === 'published');
    expect((await operatorOf(network).get('jobs/:id', { id })).incarnation).toBe(await published());
  });

  it('refuses an unknown name', async () => {
    const { code, stderr } = await runPlaza(['projections', 'rebuild', 'nothing'], network.env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('each must be one of')]);
  });

  it('makes groups with tables of their own apply all events again', async () => {
    const job = await runPlazaJson<Job>('projections', 'rebuild', 'audit', 'authority');
    expect(job).toMatchObject({ state: 'published', incarnation: null });
    expect((await ada.get('/api/session')).status).toBe(200);
  });
});

describe('plaza recovery rollback', () => {
  it('publishes the incarnation of before, with all events since', async () => {
    const before = await published();
    await runPlazaJson('projections', 'rebuild');
    const rebuilt = await published();
    const postId = (await ada.say('since then')).body.post.id as string;
    await runPlazaJson('recovery', 'rollback', '--reason', 'a test');
    const again = await published();
    expect([before, rebuilt]).not.toContain(again);
    expect((await ada.get(`/api/posts/${postId}`)).status).toBe(200);
    await runPlazaJson('recovery', 'rollback');
    expect([before, rebuilt, again]).not.toContain(await published());
  });
});
