/** @slow */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { Browser } from '../../src/programs/demo/browser.js';
import type { BrowserUser } from '../../src/programs/demo/browser.js';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import { root, spawnPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { startExample } from './support/example.js';
import type { Example } from './support/example.js';
import { startFaultyProxy } from './support/faulty-proxy.js';
import type { FaultyProxy } from './support/faulty-proxy.js';

let proxy: FaultyProxy;
let network: TestNetwork;
let person: BrowserUser;
let example: Example | undefined;

beforeAll(async () => {
  const port = await freePort();
  proxy = await startFaultyProxy(port);
  network = await startNetwork({ PORT: String(port), BASE_URL: `http://localhost:${proxy.port}` });
  person = { handle: `t_${randomBytes(5).toString('hex')}`, password: 'correct horse battery' };
  await operatorOf(network).post('accounts', {
    ...person,
    displayName: 'Ada',
    email: `${person.handle}@example.org`,
  });
});

afterEach(() => example?.stop());

afterAll(async () => {
  await network?.stop();
  await proxy?.close();
});

/** Runs the example by its README with further arguments, in the person's browser, until it ends. */
async function run(more = ''): Promise<string[]> {
  example = await startExample(network, { name: 'typed-client', port: 8081, more });
  const [, address = ''] = /^open (\S+)$/.exec(example.firstLine) ?? [];
  const callback = await new Browser(network.baseUrl).authorize(new URL(address), person);
  await fetch(callback);
  const printed = await example.ended();
  expect(example.errorOutput()).toBe('');
  return printed.trimEnd().split('\n').slice(1);
}

describe('the typed client', () => {
  it.each([
    [[], {}, /^CLIENT_ID and CLIENT_SECRET come from the registration[^\n]+\n$/],
    [['--pages', 'zz'], { CLIENT_ID: 'x', CLIENT_SECRET: 'y' }, /^--pages takes a number from 1\n$/],
    [
      [],
      { CLIENT_ID: 'x', CLIENT_SECRET: 'y', BASE_URL: 'http://localhost:1' },
      /^no sign-in at BASE_URL http:\/\/localhost:1: fetch failed\n$/,
    ],
  ])('names a fault of %j and %j in one line', async (args, settings, said) => {
    const { code, stderr } = await spawnPlaza(
      args,
      settings,
      '',
      join(root, 'examples/typed-client/main.ts'),
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  });

  it('signs in, posts and shows the timeline, as its README says', async () => {
    const [signedIn, posted, ...timeline] = await run();
    expect(signedIn).toMatch(/^signed in as \S+$/);
    expect(posted).toMatch(/^posted \S+$/);
    expect(timeline).toEqual(['Ada: Hello from the typed client']);
  });

  it('follows a person by handle, and reads their posts page by page', async () => {
    const grace = await signIn(network, await registerApplication(network));
    const { handle, displayName } = (await grace.get('/api/profile')).body.profile;
    const texts = Array.from({ length: 25 }, (_, index) => `Number ${index}`);
    for (const text of texts) await grace.say(text);
    const lines = await run(`--follow ${handle}`);
    expect(lines).toContain(`following ${grace.actorId}`);
    const theirs = lines.filter((line) => line.startsWith(`${displayName}: `));
    expect(theirs).toEqual(texts.map((text) => `${displayName}: ${text}`).toReversed());
  });

  it('posts once if the answer is lost, and waits as long as Retry-After says', async () => {
    proxy.loseAnswer('/api/posts');
    proxy.refuse('/api/timeline', 1);
    const before = proxy.count('/api/posts');
    const lines = await run('--post Once');
    expect(proxy.count('/api/posts')).toBe(before + 2);
    expect(lines.filter((line) => line.endsWith(': Once'))).toHaveLength(1);
  });
});
