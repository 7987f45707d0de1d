import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { personWithPage } from '../support/account-visitor.js';
import { registerApplication } from '../support/api.js';
import { decide, newModerator, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { signIn } from './support/flow.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const scope = 'openid read post:create report:create';

describeInBrowser('decisions and appeals, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let grace: Moderator;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    grace = await newModerator(network);
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  /** Somebody whose post another person reported, and Grace's decision. */
  async function decided(effects: readonly string[]) {
    const application = await registerApplication(network);
    const [person, reporter] = [
      await personWithPage(network, application, scope),
      await personWithPage(network, application, scope),
    ];
    const caseId = await reportedPost(grace, reporter, await createPost(person, 'buy\nmy lamps'));
    await decide(grace, caseId, effects, 'No advertising.');
    return { person, reporter, caseId };
  }

  async function open(handle: string, heading: string): Promise<Page> {
    const page = await watched.newPage();
    await page.goto(`${network.baseUrl}/api/auth/account`);
    await signIn(page, handle);
    await page.getByRole('heading', { name: heading }).waitFor();
    return page;
  }

  it('are on the account page, in words of its own for who reported', async () => {
    const { person, reporter } = await decided(['restrict_post']);
    const page = await open(person.handle, 'Decisions about you');
    await page.getByLabel('Your appeal').fill(' ');
    await page.getByRole('button', { name: 'Appeal' }).click();
    await page.getByRole('alert').waitFor();
    await expectLegible(page, 'account-decision');
    await page.getByLabel('Your appeal').fill('They are lamps of my own.');
    await page.getByRole('button', { name: 'Appeal' }).click();
    await page.getByRole('status').waitFor();
    expect(await page.getByLabel('Your appeal').count()).toBe(0);
    await expectLegible(page, 'account-appeal');
    const reports = await open(reporter.handle, 'Your reports');
    await reports.getByText('The operators found a violation of the rules.').waitFor();
    await expectLegible(reports, 'account-reports');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('are all that a suspended person sees', async () => {
    const { person } = await decided(['restrict_post', 'suspend_actor']);
    const page = await open(person.handle, 'Your account is suspended');
    await expectLegible(page, 'suspended');
    await page.getByLabel('Your appeal').fill('Nobody warned me.');
    await page.getByRole('button', { name: 'Appeal' }).click();
    await page.getByRole('status').waitFor();
    await expectLegible(page, 'suspended-appeal');
    await page.goto(`${network.baseUrl}/api/auth/account`);
    await page.getByLabel('Password').waitFor();
    await page.goto(`${network.baseUrl}/api/auth/account/appeal`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await page.goto(`${network.baseUrl}/api/auth/account/appeal`);
    await page.getByLabel('Password').waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });
});
