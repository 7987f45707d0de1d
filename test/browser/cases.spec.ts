import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { CaseEffect } from '../../src/domain/case/events.js';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { personWithPage } from '../support/account-visitor.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { decide, newModerator, reportedPost, stateOf } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { someName } from '../support/operators.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, addAuthenticator } from './support/console.js';
import { signIn } from './support/flow.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const scope = 'openid read post:create report:create';

describeInBrowser('decisions and appeals, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let grace: Moderator;
  let url: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    grace = await newModerator(network);
    url = `${readConfig(network.env).operatorBaseUrl}/console`;
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  /** Somebody whose post another person reported. */
  async function reported() {
    const application = await registerApplication(network);
    const [person, reporter] = [
      await personWithPage(network, application, scope),
      await personWithPage(network, application, scope),
    ];
    const caseId = await reportedPost(
      grace,
      reporter,
      await createPost(person, 'buy\nmy lamps'),
      'why '.repeat(50),
    );
    return { person, reporter, caseId };
  }

  /** The same, and Grace's decision. */
  async function decided(effects: readonly CaseEffect[]) {
    const found = await reported();
    await decide(grace, found.caseId, effects, 'No advertising.');
    return found;
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

  /** A moderator at the console. */
  async function enroll(): Promise<Page> {
    const { link } = await operatorOf(network).post('operators', {
      name: someName('Hedy'),
      roles: ['moderator'],
      reason: 'a test',
    });
    const signedIn = await watched.newPage();
    await addAuthenticator(signedIn);
    await signedIn.goto(link);
    await signedIn.getByRole('button', { name: 'Create a passkey' }).click();
    await signedIn.getByRole('heading', { name: /The network/ }).waitFor();
    return signedIn;
  }

  it('are made in the console, without JavaScript', async () => {
    const { person, caseId } = await reported();
    const storageState = await (await enroll()).context().storageState();
    const page = await watched.newPage({ javaScriptEnabled: false, storageState });
    await page.goto(`${url}/cases?order=newest`);
    await page.locator(`a[href="/console/cases/${caseId}"]`).click();
    await page.getByRole('button', { name: 'Claim the case' }).click();
    await page.getByText('buy my lamps').waitFor();
    await page.getByLabel('Text for the person (optional)').fill('No advertising.');
    await page.getByRole('radio', { name: 'spam' }).check();
    await page.getByRole('button', { name: 'Violation', exact: true }).click();
    await page.getByText('The case is decided.').waitFor();
    const account = await open(person.handle, 'Decisions about you');
    await account.getByText('No advertising.').waitFor();
    expect(await stateOf(grace, caseId)).toBe('decided');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('are legible and accessible in the console, from the queue to the ruling', async () => {
    const { person, caseId } = await reported();
    const page = await enroll();
    const check = async (name: string) => {
      await page.evaluate(() => document.querySelectorAll('details').forEach((each) => (each.open = true)));
      expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
      await expectLegible(page, `console-${name}`);
    };
    await page.goto(`${url}/cases?order=newest`);
    await page.getByRole('heading', { name: 'Cases' }).waitFor();
    await check('cases');
    await page.goto(`${url}/cases/${caseId}`);
    await page.getByRole('heading', { name: 'Reported post' }).waitFor();
    await check('case');
    await decide(grace, caseId, ['restrict_post'], 'No advertising.');
    const account = await open(person.handle, 'Decisions about you');
    await account.getByLabel('Your appeal').fill('They are lamps of my own.');
    await account.getByRole('button', { name: 'Appeal' }).click();
    await account.getByRole('status').waitFor();
    await page.reload();
    await check('case-appealed');
    await page.getByRole('button', { name: 'Claim the case' }).click();
    await page.getByText('They are lamps of my own.').first().waitFor();
    await check('case-claimed');
    await page.getByLabel('Reason', { exact: true }).first().fill('it is spam');
    await page.getByRole('button', { name: 'Uphold', exact: true }).click();
    await page.getByText('The decision is upheld.').waitFor();
    await page.goto(`${url}/overview`);
    await page.getByRole('link', { name: 'To the queue' }).waitFor();
    await check('overview-cases');
    expect(watched.takeFaults()).toEqual([]);
  });
});
