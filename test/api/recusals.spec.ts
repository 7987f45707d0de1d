import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaseEffect } from '../../src/domain/case/events.js';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { personWithPage } from '../support/account-visitor.js';
import type { PersonWithPage } from '../support/account-visitor.js';
import { operatorOf, registerApplication } from '../support/api.js';
import type { Application } from '../support/api.js';
import { suspendAll } from '../support/batches.js';
import { runPlaza } from '../support/command.js';
import { decide, newModerator, report, reportedPost, stateOf } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

const scope = 'openid read post:create report:create';

let network: SharedNetwork;
let opened: OpenLog;
let application: Application;
let reporter: PersonWithPage;
let grace: Moderator;
let hedy: Moderator;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [reporter, grace, hedy, opened] = await Promise.all([
    personWithPage(network, application, scope),
    newModerator(network),
    newModerator(network),
    openLog({
      eventStoreUrl: network.env['EVENTSTORE_URL'] ?? '',
      vaultDatabaseUrl: network.env['VAULT_DATABASE_URL'] ?? '',
      applicationName: 'test',
    }),
  ]);
});

afterAll(() => opened?.close());

/** A person whose post Grace has restricted, with their appeal. */
async function appealed(effects: readonly CaseEffect[] = ['restrict_post']) {
  const person = await personWithPage(network, application, scope);
  const postId = await createPost(person, 'buy my lamps');
  const caseId = await reportedPost(grace, reporter, postId);
  await decide(grace, caseId, effects);
  await fileAppeal(person);
  return { person, postId, caseId };
}

async function fileAppeal(person: PersonWithPage): Promise<void> {
  const [visitor, page] = await person.openAccount();
  const form = page.url.endsWith('/appeal') ? '/appeal' : '/decisions';
  await visitor.submitTo(page, form, { appeal: 'They are lamps of my own.' });
}

async function overturn(caseId: string): Promise<void> {
  await hedy.client.post('cases/:id/claim', { id: caseId });
  await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'it is no spam' });
}

const overturned = async (effects?: readonly CaseEffect[]) => {
  const found = await appealed(effects);
  await overturn(found.caseId);
  return found;
};

/** Somebody reports the post again, and the worker reopens the case. */
async function reportAgain({ postId, caseId }: { readonly postId: string; readonly caseId: string }) {
  await report(reporter, { postId });
  await until(async () => (await hedy.client.get('cases/:id', { id: caseId })).isOpen);
}

const isVisible = async (postId: string) => (await reporter.get(`/api/posts/${postId}`)).status === 200;

const left = /another operator must (rule on the appeal|decide it anew).*\(not_owner\)/;
const unproven = /the shared token does not prove.*\(not_owner\)/;

describe.each([
  ['whose appeal waits', () => appealed()],
  ['that was overturned', () => overturned()],
])('a decision %s', (_what, prepare) => {
  it('is not defeated by who made it: not by a case, by hand, or with the shared token', async () => {
    const { person, postId, caseId } = await prepare();
    const acts: readonly (() => Promise<unknown>)[] = [
      () => grace.client.post('cases/:id/reopen', { id: caseId, reason: 'once more' }),
      () => grace.client.post('cases/:id/claim', { id: caseId }),
      () => grace.client.post('posts/:id/restrict', { id: postId, reason: 'spam' }),
      () => grace.client.post('accounts/:id/suspend', { id: person.actorId, reason: 'spam' }),
    ];
    for (const act of acts) await expect(act()).rejects.toThrow(left);
    const shared = operatorOf(network);
    await expect(shared.post('posts/:id/restrict', { id: postId, reason: 'spam' })).rejects.toThrow(unproven);
    await expect(shared.post('accounts/:id/suspend', { id: person.actorId, reason: 'spam' })).rejects.toThrow(
      unproven,
    );
    const { recusal } = await grace.client.get('cases/:id', { id: caseId });
    expect(recusal).toContain('another operator must');
    expect((await hedy.client.get('cases/:id', { id: caseId })).recusal).toBeNull();
  });

  it('is not defeated by a file: the account is skipped, and listed as that', async () => {
    const { person } = await prepare();
    const other = await personWithPage(network, application, scope);
    const file = join(tmpdir(), `${randomUUID()}.txt`);
    writeFileSync(file, `${person.actorId}\n${other.actorId}\n`);
    const run = (...args: string[]) =>
      runPlaza(['account', 'suspend', '--from', file, '--reason', 'spam', ...args], grace.env);
    const skipped = `another operator must decide it: ${person.actorId}`;
    expect((await run('--dry-run')).stdout).toContain(skipped);
    const { stdout } = await run();
    expect(stdout).toContain('restricted 1\n');
    expect(stdout).toContain(skipped);
    expect((await other.get('/api/timeline')).status).toBe(403);
    expect((await person.get('/api/timeline')).status).toBe(200);
  });
});

describe('after an overturn', () => {
  it('a new report reopens the case for others, and their decision frees who decided first', async () => {
    const { postId, caseId } = await overturned();
    await reportAgain({ postId, caseId });
    await expect(grace.client.post('cases/:id/claim', { id: caseId })).rejects.toThrow(left);
    await hedy.client.post('cases/:id/claim', { id: caseId });
    await hedy.client.post('cases/:id/decide', {
      id: caseId,
      outcome: 'no_violation',
      effects: [],
      reason: 'no spam',
    });
    await grace.client.post('cases/:id/reopen', { id: caseId, reason: 'look again' });
    await decide(grace, caseId, ['restrict_post']);
    expect(await isVisible(postId)).toBe(false);
  });

  it('a batch of posts skips the post, and its status lists it as that, also after the next decision', async () => {
    const own = await registerApplication(network);
    const person = await personWithPage(network, own, scope);
    const from = new Date().toISOString();
    const [postId, other] = [await createPost(person, 'buy my lamps'), await createPost(person, 'and pills')];
    const caseId = await reportedPost(grace, reporter, postId);
    await decide(grace, caseId, ['restrict_post']);
    await fileAppeal(person);
    await overturn(caseId);
    const { client } = grace;
    const plan = { kind: 'posts', appId: own.clientId, from, until: new Date().toISOString() } as const;
    const { digest } = await until(async () => {
      const preview = await client.post('batches/preview', plan);
      return preview.items === 2 && preview.recused.length === 1 && preview;
    });
    const { batchId } = await client.post('batches', { ...plan, digest, reason: 'spam' });
    await until(async () => (await client.get('batches/:id', { id: batchId })).state === 'applied');
    // The log has lifted the restriction: the read models follow.
    await until(() => isVisible(postId));
    expect(await isVisible(other)).toBe(false);
    await reportAgain({ postId, caseId });
    await hedy.client.post('cases/:id/claim', { id: caseId });
    await hedy.client.post('cases/:id/decide', {
      id: caseId,
      outcome: 'no_violation',
      effects: [],
      reason: 'no spam',
    });
    expect((await client.get('batches/:id', { id: batchId })).applied).toEqual({
      changed: 1,
      skipped: [postId],
      recused: [postId],
    });
  });

  it('a batch with the shared token skips the account', async () => {
    const { person } = await overturned(['suspend_actor']);
    const batchId = await suspendAll(operatorOf(network), [person.actorId], 'spam');
    const { applied } = await operatorOf(network).get('batches/:id', { id: batchId });
    expect(applied).toEqual({ changed: 0, skipped: [person.actorId], recused: [person.actorId] });
  });

  it('a case about the person is left to others, too, as far as it would suspend them', async () => {
    const { person } = await overturned();
    await report(reporter, { actorId: person.actorId });
    const caseId = `actor-${person.actorId}`;
    await until(() => stateOf(grace, caseId));
    await grace.client.post('cases/:id/claim', { id: caseId });
    const suspend = { outcome: 'violation', effects: ['suspend_actor'] } as const;
    await expect(
      grace.client.post('cases/:id/decide', { id: caseId, ...suspend, reason: 'spam' }),
    ).rejects.toThrow(left);
    await grace.client.post('cases/:id/decide', {
      id: caseId,
      outcome: 'violation',
      effects: [],
      reason: 'spam',
    });
  });

  it('of a suspension in a case about the person, their posts are left to others, by hand and in a batch', async () => {
    const own = await registerApplication(network);
    const person = await personWithPage(network, own, scope);
    const from = new Date().toISOString();
    const postId = await createPost(person, 'buy my lamps');
    await report(reporter, { actorId: person.actorId });
    const caseId = `actor-${person.actorId}`;
    await until(() => stateOf(grace, caseId));
    await decide(grace, caseId, ['suspend_actor']);
    await fileAppeal(person);
    const restrict = () => grace.client.post('posts/:id/restrict', { id: postId, reason: 'spam' });
    await expect(restrict()).rejects.toThrow(left);
    await overturn(caseId);
    await expect(restrict()).rejects.toThrow(left);
    const plan = { kind: 'posts', appId: own.clientId, from, until: new Date().toISOString() } as const;
    const { client } = grace;
    const { digest } = await until(async () => {
      const preview = await client.post('batches/preview', plan);
      return preview.items === 1 && preview.recused.length === 1 && preview;
    });
    const { batchId } = await client.post('batches', { ...plan, digest, reason: 'spam' });
    await until(async () => (await client.get('batches/:id', { id: batchId })).state === 'applied');
    expect((await client.get('batches/:id', { id: batchId })).applied).toEqual({
      changed: 0,
      skipped: [postId],
      recused: [postId],
    });
    expect(await isVisible(postId)).toBe(true);
    await hedy.client.post('posts/:id/restrict', { id: postId, reason: 'spam' });
  });

  it('of a suspension in a case about the person, no other case suspends them for who decided that', async () => {
    const person = await personWithPage(network, application, scope);
    await report(reporter, { actorId: person.actorId });
    const caseId = `actor-${person.actorId}`;
    await until(() => stateOf(grace, caseId));
    await decide(grace, caseId, ['suspend_actor']);
    await fileAppeal(person);
    await overturn(caseId);
    const ofPost = await reportedPost(grace, reporter, await createPost(person));
    await grace.client.post('cases/:id/claim', { id: ofPost });
    const decision = { outcome: 'violation', effects: ['restrict_post', 'suspend_actor'] } as const;
    await expect(
      grace.client.post('cases/:id/decide', { id: ofPost, ...decision, reason: 'spam' }),
    ).rejects.toThrow(left);
    await grace.client.post('cases/:id/decide', {
      id: ofPost,
      ...decision,
      effects: ['restrict_post'],
      reason: 'spam',
    });
    expect((await person.get('/api/timeline')).status).toBe(200);
  });
});

describe('who approved a decision', () => {
  it('leaves it to others like who made it', async () => {
    const person = await personWithPage(network, application, scope);
    const postId = await createPost(person);
    const caseId = await reportedPost(grace, reporter, postId);
    await grace.client.post('cases/:id/claim', { id: caseId });
    const [approvalId, requestId] = [randomUUID(), 'test'];
    const approval = streams.approval(approvalId);
    const request = {
      approvalId,
      operatorId: grace.operatorId,
      act: 'case.decide',
      digest: 'd',
      // Readable for the pages of the shared network, which list it.
      content: JSON.stringify({ params: {}, input: {}, facts: {} }),
    };
    const by = { approvalId, operatorId: hedy.operatorId, digest: 'd', at: 2 };
    await opened.log.append({
      stream: approval,
      expected: 'no_stream',
      events: [
        {
          id: randomUUID(),
          event: { type: 'approval.requested', data: { ...request, expiresAt: 9, at: 1 } },
        },
        { id: randomUUID(), event: { type: 'approval.given', data: by } },
      ],
      metadata: { requestId },
    });
    const past = await opened.log.read(streams.case(caseId));
    const seen = { seenEventIds: [], networkRevision: Number(past.at(-1)?.position) };
    const subject = { caseId, postId, targetActorId: person.actorId };
    const decision = { decisionId: randomUUID(), outcome: 'violation', effects: [], notice: '' } as const;
    const data = { ...subject, ...seen, ...decision, operatorId: grace.operatorId, at: 3 };
    await opened.log.append({
      stream: streams.case(caseId),
      expected: past.at(-1)!.revision,
      events: [{ id: randomUUID(), event: { type: 'case.decided', data } }],
      metadata: { requestId, operatorId: grace.operatorId, cause: approval },
    });
    await until(async () =>
      (await hedy.client.get('cases', { state: 'decided', order: 'newest' })).cases.some(
        (each) => each.caseId === caseId,
      ),
    );
    await fileAppeal(person);
    for (const { client } of [grace, hedy]) {
      await expect(client.post('cases/:id/claim', { id: caseId })).rejects.toThrow(left);
      await expect(client.post('posts/:id/restrict', { id: postId, reason: 'spam' })).rejects.toThrow(left);
    }
    const { client } = await newModerator(network);
    await client.post('cases/:id/claim', { id: caseId });
    await client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'no spam' });
    await expect(hedy.client.post('cases/:id/reopen', { id: caseId, reason: 'once more' })).rejects.toThrow(
      left,
    );
  });
});
