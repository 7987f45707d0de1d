import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let database: Client;
let ada: SignedIn;

beforeAll(async () => {
  network = await startNetwork();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  ada = await signIn(network, await registerApplication(network), 'openid read post:create');
  for (let index = 0; index < 20; index++) await ada.say(`post ${index}`);
}, 120_000);

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

async function asked<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await runPlaza([...args, '--json'], network.env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code}\n${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

interface Job {
  readonly state: string;
  readonly incarnation: string | null;
}

describe('plaza projections rebuild', () => {
  it('builds beside what is read and switches, so that a reader sees no error and no step back', async () => {
    const before = await published();
    const reading = new AbortController();
    const seen: { status: number; revision: bigint; posts: number }[] = [];
    const reader = (async () => {
      while (!reading.signal.aborted) {
        const { status, headers, body } = await ada.get('/api/timeline');
        const revision = BigInt(headers.get('x-network-revision') ?? '-1');
        seen.push({ status, revision, posts: body.posts?.length });
      }
    })();
    let said = 20;
    const writer = (async () => {
      while (!reading.signal.aborted) {
        const { status } = await ada.say(`post ${said}`);
        expect(status).toBe(200);
        said += 1;
        const { body } = await ada.get('/api/timeline?limit=1');
        expect(body.posts[0].text).toBe(`post ${said - 1}`);
      }
    })();
    const job = await asked<Job>('projections', 'rebuild', '--reason', 'a test');
    await until(() => seen.length > 20);
    reading.abort();
    await Promise.all([reader, writer]);
    expect(job).toMatchObject({ state: 'published', incarnation: await published() });
    expect(await published()).not.toBe(before);
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
    for (const [index, { revision }] of seen.entries())
      expect(revision).toBeGreaterThanOrEqual(seen[index - 1]?.revision ?? 0n);
  });
});
