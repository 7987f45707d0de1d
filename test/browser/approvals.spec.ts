import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { awaited } from '../support/awaited.js';
import { lentNetwork } from '../support/lent-network.js';
import { moderatorWith, newModerator, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import type { TestNetwork } from '../support/network.js';
import { enrollOperator, someName } from '../support/operators.js';
import { personWithToken } from '../support/people.js';
import { createPost, editPost } from '../support/posts.js';
import { until } from '../support/until.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, enrollInBrowser } from './support/console.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const both = ['administrator', 'moderator'] as const;
const scope = 'openid read post:create post:edit report:create';

describeInBrowser('a request for an approval, in a real browser', () => {
  let network: TestNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  /** Ada requests, and Bob approves what is of no interest here. */
  let ada: Moderator;
  let bob: Moderator;
  let url: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([lentNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    url = `${readConfig(network.env).operatorBaseUrl}/console`;
    const enroll = async (name: string) =>
      moderatorWith(network, await enrollOperator(operatorOf(network), both, someName(name)));
    ada = await enroll('Ada');
    bob = await enroll('Bob');
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    const off = await awaited(ada.client.post('four-eyes/off', {}));
    await bob.client.post('approvals/:id/approve', { id: off.approvalId, digest: off.digest });
    await ada.client.post('approvals/:id/run', { id: off.approvalId });
    await chromium?.close();
    await network?.stop();
  });

  async function look(page: Page, name: string): Promise<void> {
    expect({ name, faults: await accessibilityFaults(page) }).toEqual({ name, faults: [] });
    await expectLegible(page, name);
  }

  it('is read with its evidence, approved, executed, and leads to its batch and the cases there', async () => {
    const cleo = await watched.newPage();
    const { link } = await operatorOf(network).post('operators', { name: someName('Cleo'), roles: both });
    await enrollInBrowser(cleo, link);
    const moderator = await newModerator(network);

    const application = await registerApplication(network, 'Cheap Lamps & Sons');
    const [spammer, reporter] = [
      await personWithToken(network, application, scope),
      await personWithToken(network, application, scope),
    ];
    const from = new Date(Date.now() - 60_000).toISOString();
    const posts = [];
    for (let n = 0; n < 24; n++)
      posts.push(await createPost(spammer, `buy <b>lamp</b> ${n}, the best of all`));
    const [first = '', second = ''] = posts.toSorted();
    await reportedPost(moderator, reporter, first);
    // From here on the shared token registers nothing.
    await ada.client.post('four-eyes/on', { batchItems: 1 });
    const until_ = new Date().toISOString();
    const plan = { kind: 'posts', appId: application.clientId, from, until: until_ } as const;
    const { digest } = await ada.client.post('batches/preview', plan);
    const request = await awaited(
      ada.client.post('batches', { ...plan, digest, reason: 'a wave of spam, see the report' }),
    );
    await editPost(spammer, first, { text: 'buy no lamp any more' });
    await moderator.client.post('posts/:id/restrict', { id: second, reason: 'spam' });

    await cleo.goto(`${url}/overview`);
    await cleo.getByRole('heading', { name: 'What waits' }).waitFor();
    await look(cleo, 'overview-waiting');
    await cleo.getByRole('link', { name: /waiting/ }).click();
    await look(cleo, 'approvals');
    await cleo.getByRole('link', { name: 'Restrict 24 posts' }).click();
    await cleo.getByText('changed since the request').waitFor();
    await cleo.getByText('1 of these 20 is not public.').waitFor();
    await cleo.getByText('“buy no lamp any more”').waitFor();
    expect(await cleo.locator('main').innerText()).not.toContain('batch.request');
    await look(cleo, 'approval');

    await cleo.locator('summary', { hasText: 'Disclose' }).click();
    await cleo.locator('#disclose-all-reason').fill('to approve it');
    await cleo.getByRole('button', { name: 'Disclose the text that is not public' }).click();
    await cleo.getByText(/buy <b>lamp<\/b> \d+, the best of all/).waitFor();
    await cleo.goBack();

    await cleo.locator('summary', { hasText: 'Approve' }).click();
    await cleo.getByRole('button', { name: 'Approve' }).click();
    // The post that was restricted meanwhile is no item any more.
    await cleo
      .getByText(/would do something else by now/)
      .first()
      .waitFor();

    const again = await ada.client.post('batches/preview', plan);
    const next = await awaited(
      ada.client.post('batches', { ...plan, digest: again.digest, reason: 'the same wave' }),
    );
    expect(next.approvalId).not.toBe(request.approvalId);
    await cleo.goto(`${url}/approvals/${next.approvalId}`);
    await cleo.locator('summary', { hasText: 'Approve' }).click();
    await cleo.getByRole('button', { name: 'Approve' }).click();
    await cleo.getByText('approved', { exact: true }).waitFor();
    await ada.client.post('approvals/:id/run', { id: next.approvalId });
    await until(
      async () => (await ada.client.get('batches/:id', { id: next.approvalId })).state === 'applied',
    );
    await cleo.reload();
    await cleo.getByRole('link', { name: 'To the batch' }).click();
    await cleo.getByRole('heading', { name: 'Restriction of 23 posts' }).waitFor();
    await cleo.getByText('that nobody has decided yet').waitFor();
    await look(cleo, 'batch-of-posts');
    await cleo.locator(`a[href="/console/cases/post-${first}"]`).click();
    expect(new URL(cleo.url()).pathname).toBe(`/console/cases/post-${first}`);
    await cleo.goto(`${url}/batches`);
    await look(cleo, 'batches-named');
    expect(watched.takeFaults()).toEqual([]);
  });
});
