/** @waits */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { limits } from '../../src/base/config/limit-settings.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { registerApplication, signIn } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { requestAt } from '../support/api-process.js';
import type { ProcessAnswer } from '../support/api-process.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { personWithToken } from '../support/people.js';
import { post } from '../support/social.js';
import { freezeWorker, thawWorker } from '../support/signals.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let application: Application;
let alice: SignedIn;
let bob: SignedIn;
let carol: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  application = await registerApplication(network);
  const someone = () => personWithToken(network, application, allScopes.join(' '));
  [alice, bob] = [await someone(), await someone()];
  // The authorization server knows her token, too.
  carol = await signIn(network, application);
});

afterAll(async () => {
  thawWorker(network);
  await network?.stop();
});

const ask = (method: string, path: string, by: SignedIn, body?: object): Promise<ProcessAnswer> =>
  requestAt(network, Number(new URL(network.baseUrl).port), method, path, { by, body });

/** Sends more at once than the process takes, until it refuses some: those it takes wait a second for the worker. */
async function untilRefused(most: number, send: () => Promise<ProcessAnswer>, busy: RegExp) {
  const all: ProcessAnswer[] = [];
  const refused = await until(async () => {
    const answers = await Promise.all(Array.from({ length: most }, send));
    all.push(...answers);
    return answers.find(({ body }) => busy.test(String(body.message)));
  });
  return { all, refused };
}

it('refuses writes and reads beyond its bounds at once, and takes deletions and sign-outs meanwhile', async () => {
  const postId = await post(alice, 'to be deleted');
  const intents: string[] = [];
  const say = async () => {
    const intentId = randomUUID();
    const answer = await ask('POST', '/api/posts', bob, {
      intentId,
      text: 'one of many',
      audience: 'public',
    });
    if (answer.status === 503) intents.push(intentId);
    return answer;
  };
  freezeWorker(network);
  const writing = untilRefused(2 * limits.inWork, say, /too many requests in work\. Nothing was written/);
  const [deletion, revocation] = await Promise.all([
    ask('DELETE', `/api/posts/${postId}?intentId=${randomUUID()}&revision=1`, alice),
    revoke(carol),
  ]);
  const writes = await writing;
  const read = () => ask('GET', '/api/timeline', bob);
  const reads = await untilRefused(2 * limits.inWork, read, /too many requests in work\. Retry later/);
  thawWorker(network);

  expect([deletion.status, deletion.body.post.status]).toEqual([200, 'deleted']);
  expect(revocation.status).toBe(200);
  for (const [{ refused }, code] of [
    [writes, 'domain_storage_unavailable'],
    [reads, 'protected_read_unavailable'],
  ] as const)
    expect([refused.status, refused.body.error, refused.headers['retry-after']]).toEqual([503, code, '2']);
  expect(writes.all.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(limits.inWork / 2);
  const intentIds = intents.slice(0, 50);
  const { body } = await until(async () => {
    const answer = await ask('POST', '/api/intents/lookup', bob, { intentIds });
    return answer.status === 200 && answer;
  });
  expect(body.intents).toEqual(intentIds.map((intentId) => ({ intentId, outcome: 'unknown' })));
});

/** Ends the grant, as an application does when its person signs out. */
function revoke({ token }: SignedIn): Promise<Response> {
  const { clientId, clientSecret } = application;
  return fetch(`${network.baseUrl}/api/auth/oauth2/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ token }),
  });
}
