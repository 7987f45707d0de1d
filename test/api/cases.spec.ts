/** Cases by API and command line. Their rules: test/operator/cases.spec.ts. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { newModerator, report, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

const scope = 'openid read post:create post:delete report:create';

let network: SharedNetwork;
let application: Application;
let opened: OpenLog;
let alice: SignedIn;
let bob: SignedIn;
let grace: Moderator;
let hedy: Moderator;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [alice, bob, grace, hedy] = await Promise.all([
    personWithToken(network, application, scope),
    personWithToken(network, application, scope),
    newModerator(network),
    newModerator(network),
  ]);
  opened = await openLog({
    eventStoreUrl: network.env['EVENTSTORE_URL'] ?? '',
    vaultDatabaseUrl: network.env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
});

afterAll(async () => {
  await opened?.close();
});

const eventsOf = async (caseId: string) => opened.log.read(streams.case(caseId));
const typesOf = async (caseId: string) => (await eventsOf(caseId)).map(({ event }) => event.type);
const listed = async (state: 'open' | 'claimed' | 'decided', caseId: string) =>
  (await grace.client.get('cases', { state, order: 'newest' })).cases.find((each) => each.caseId === caseId);

const newCase = async (text = 'buy my lamps') => {
  const postId = await createPost(bob, text);
  return { postId, caseId: await reportedPost(grace, alice, postId, `why: ${text}`) };
};

describe('reports', () => {
  it('of one post, ten of them, make one case', async () => {
    const [postId, cleo] = [await createPost(bob), await personWithToken(network, application, scope)];
    await Promise.all(Array.from({ length: 10 }, (_, n) => report(n % 2 === 0 ? alice : cleo, { postId })));
    const caseId = `post-${postId}`;
    const found = await until(async () => {
      const each = await listed('open', caseId);
      return each?.reports === 10 && each;
    });
    expect(found).toMatchObject({ postId, targetActorId: bob.actorId, claimedBy: null });
    expect(await typesOf(caseId)).toEqual(['case.opened']);
    const metrics = await fetch(`http://127.0.0.1:${network.env['OPERATOR_PORT']}/metrics`);
    expect(await metrics.text()).toMatch(/^plaza_open_cases\{state="open"\} [1-9]/m);
  });
});

describe('a decision', () => {
  it('restricts the post with the case as its cause, once, and closes the case', async () => {
    const { postId, caseId } = await newCase();
    await grace.client.post('cases/:id/claim', { id: caseId });
    const decision = { outcome: 'violation', effects: ['restrict_post'], notice: 'No advertising.' } as const;
    expect(await grace.client.post('cases/:id/decide', { id: caseId, ...decision, reason: 'spam' })).toEqual({
      effects: 'finished',
    });
    expect((await alice.get(`/api/posts/${postId}`)).status).toBe(404);
    const { decisions } = await grace.client.get('cases/:id', { id: caseId });
    expect(decisions).toMatchObject([{ operatorId: grace.operatorId, execution: 'applied', appeal: 'none' }]);
    const restrictions = (await opened.log.read(streams.post(postId))).filter(
      ({ event }) => event.type === 'post.restricted',
    );
    expect(restrictions.map(({ metadata }) => metadata)).toEqual([
      expect.objectContaining({
        cause: streams.case(caseId),
        decisionId: decisions[0]?.decisionId,
        operatorId: grace.operatorId,
        reason: 'spam',
      }),
    ]);
    expect(await listed('decided', caseId)).toMatchObject({
      outcome: 'violation',
      decidedBy: grace.operatorId,
    });
    await expect(
      grace.client.post('cases/:id/decide', { id: caseId, ...decision, reason: 'spam' }),
    ).rejects.toThrow('(revision_conflict)');
  });
});

describe('the texts of a case', () => {
  it('are in no audit, and end with the key of the person whom they concern', async () => {
    const carl = await personWithToken(network, application, scope);
    const caseId = await reportedPost(grace, alice, await createPost(carl));
    await grace.client.post('cases/:id/claim', { id: caseId });
    await grace.client.post('cases/:id/notes', { id: caseId, note: 'seen before\nunder another name' });
    const noted = async () =>
      (await grace.client.get('cases/:id', { id: caseId })).history.find(({ type }) => type === 'case.noted');
    expect(await noted()).toMatchObject({ text: 'seen before\nunder another name', erased: false });
    const { stdout } = await runPlaza(['audit', '--actor', carl.actorId, '--wait'], network.env);
    expect(stdout).toContain('case.noted');
    expect(stdout).not.toContain('seen before');

    await operatorOf(network).post('accounts/:id/erase', {
      id: carl.actorId,
      delayMs: 0,
      reason: 'asked for',
    });
    expect(await noted()).toMatchObject({ erased: true });
    expect(JSON.stringify((await eventsOf(caseId)).map(({ event }) => event))).not.toContain('seen before');
    await until(async () => !(await listed('claimed', caseId)));
  });
});

describe('the command line', () => {
  const plaza = async (by: Moderator, ...args: string[]) => {
    const { code, stdout, stderr } = await runPlaza(['case', ...args], by.env, 'a note\n');
    return { code, stdout, stderr };
  };

  it('takes a case from the queue to a decision', async () => {
    const { caseId } = await newCase('of the command line');
    const list = await plaza(grace, 'list', '--state', 'open', '--newest', '--limit', '50');
    expect(list.stdout).toContain(`"caseId":"${caseId}"`);
    const claim = await plaza(grace, 'claim', caseId);
    expect(claim.stdout).toContain('    why: of the command line');
    expect((await plaza(hedy, 'claim', caseId)).stderr).toContain('(revision_conflict)');
    expect((await plaza(grace, 'note', caseId)).stdout).toBe(`${caseId} has the note\n`);
    expect((await plaza(grace, 'release', caseId)).stdout).toBe(`${caseId} is released\n`);
    const lamps = await personWithToken(network, application, scope);
    const own = await reportedPost(grace, alice, await createPost(lamps), 'why: lamps');
    const next = ['next', '--author', lamps.actorId];
    expect((await plaza(grace, ...next)).stdout).toContain('    why: lamps');
    expect((await plaza(hedy, ...next)).stdout).toBe(
      'no case waits that you may claim, other than what you released today\n',
    );
    const urgent = await plaza(hedy, 'list', '--state', 'claimed', '--author', lamps.actorId, '--urgent');
    expect(urgent.stdout).toContain(`"caseId":"${own}"`);
    await plaza(hedy, 'claim', caseId);
    const wrong = await plaza(
      hedy,
      'decide',
      caseId,
      '--outcome',
      'violation',
      '--effect',
      'ban',
      '--reason',
      'x',
    );
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('restrict_post, suspend_actor')]);
    const decision = ['--outcome', 'violation', '--effect', 'restrict_post', '--reason', 'spam'];
    expect((await plaza(hedy, 'decide', caseId, ...decision)).stdout).toBe(
      `${caseId} is decided: violation\n`,
    );
    expect((await plaza(grace, 'show', caseId)).stdout).toMatch(/violation, restrict_post {2}by .*applied/);
    expect((await plaza(grace, 'reopen', caseId, '--reason', 'once more')).stdout).toBe(
      `${caseId} is open\n`,
    );
  });
});
