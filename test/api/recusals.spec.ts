/** What becomes of an overturned decision, by API, command line and batch. The rules: test/operator/recusals.spec.ts. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { personWithPage } from '../support/account-visitor.js';
import type { PersonWithPage } from '../support/account-visitor.js';
import { registerApplication } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { decide, newModerator, report, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

const scope = 'openid read post:create report:create';

let network: SharedNetwork;
let reporter: PersonWithPage;
let grace: Moderator;
let hedy: Moderator;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  [reporter, grace, hedy] = await Promise.all([
    personWithPage(network, application, scope),
    newModerator(network),
    newModerator(network),
  ]);
});

/** A person with two posts, of which Grace restricted one, and Hedy overturned that. */
async function overturned() {
  const application = await registerApplication(network);
  const person = await personWithPage(network, application, scope);
  const [postId, other] = [await createPost(person, 'buy my lamps'), await createPost(person, 'and pills')];
  const caseId = await reportedPost(grace, reporter, postId);
  await decide(grace, caseId, ['restrict_post']);
  const [visitor, page] = await person.openAccount();
  await visitor.submitTo(page, '/decisions', { appeal: 'They are lamps of my own.' });
  await hedy.client.post('cases/:id/claim', { id: caseId });
  await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'it is no spam' });
  return { application, person, postId, other, caseId };
}

const isVisible = async (postId: string) => (await reporter.get(`/api/posts/${postId}`)).status === 200;

describe('after an overturn', () => {
  it('who decided may not restrict again, and reads why; a file skips the account, and lists it as that', async () => {
    const { person, postId, caseId } = await overturned();
    const refused = /another operator must decide it anew.*\(not_owner\)/;
    await expect(grace.client.post('posts/:id/restrict', { id: postId, reason: 'spam' })).rejects.toThrow(
      refused,
    );
    expect((await grace.client.get('cases/:id', { id: caseId })).recusal).toContain('another operator must');
    const other = await personWithPage(network, await registerApplication(network), scope);
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

  it('a batch of posts skips the post, and its status lists it as that, also after the next decision', async () => {
    const from = new Date().toISOString();
    const { application, postId, other, caseId } = await overturned();
    const { client } = grace;
    const window = { from, until: new Date().toISOString() };
    const plan = { kind: 'posts', appId: application.clientId, ...window } as const;
    const { digest } = await until(async () => {
      const preview = await client.post('batches/preview', plan);
      return preview.items === 2 && preview.recused.length === 1 && preview;
    });
    const { batchId } = await client.post('batches', { ...plan, digest, reason: 'spam' });
    await until(async () => (await client.get('batches/:id', { id: batchId })).state === 'applied');
    // The log has lifted the restriction: the read models follow.
    await until(() => isVisible(postId));
    expect(await isVisible(other)).toBe(false);
    await report(reporter, { postId });
    await until(async () => (await hedy.client.get('cases/:id', { id: caseId })).isOpen);
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
});
