/** @slow */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { createAccount, password, startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { allow, Flow, signIn } from './support/flow.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('legible in light and dark, wide and narrow, without sideways scrolling:', () => {
  let network: TestNetwork;
  let application: LocalApplication;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([startNetwork({ RATE_LIMITS: 'on' }), startChromium()]);
    watched = new WatchedBrowser(chromium);
    application = await startApplication(network, 'The Pebble Collectors’ Correspondence Society');
    await createAccount(network, 'ana');
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await application?.stop();
    await network?.stop();
  });

  it('sign-in pages', async () => {
    const page = await watched.newPage();
    await page.goto((await Flow.begin(network, application)).url);
    await expectLegible(page, 'sign-in');
    await signIn(page, 'ana', 'wrong password');
    await page.getByRole('alert').waitFor();
    await expectLegible(page, 'sign-in-again');
    await signIn(page, 'ana');
    await page.getByText('Ana Example').waitFor();
    await expectLegible(page, 'consent');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('sign-up pages', async () => {
    const page = await watched.newPage();
    await page.goto((await Flow.begin(network, application)).url);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await expectLegible(page, 'sign-up');
    const typed = { Handle: 'ana', 'Display name': 'Ana', 'E-mail': 'a@example.org', Password: password };
    for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('alert').waitFor();
    await expectLegible(page, 'sign-up-again');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('account pages', async () => {
    const page = await watched.newPage();
    const account = `${network.baseUrl}/api/auth/account`;
    await page.goto(account);
    await expectLegible(page, 'account-sign-in');
    await signIn(page, 'ana');
    await page.getByText('@ana').waitFor();
    await expectLegible(page, 'account-unused');
    const flow = await Flow.begin(network, application);
    await page.goto(flow.url);
    await allow(page);
    await flow.waitForReturn(page);
    await page.goto(account);
    await expectLegible(page, 'account');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('status').waitFor();
    await expectLegible(page, 'account-notice');
    await page.getByLabel('Your password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Keep my account' }).waitFor();
    await expectLegible(page, 'account-to-be-deleted');
    await page.goto(`${network.baseUrl}/api/auth/oauth2/end-session`);
    await expectLegible(page, 'sign-out');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('You can close this page').waitFor();
    await expectLegible(page, 'signed-out');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('error pages', async () => {
    const page = await watched.newPage();
    await page.goto(`${network.baseUrl}/api/auth/interaction/unknown`);
    await expectLegible(page, 'fault');
    await page.goto((await Flow.begin(network, application)).url);
    for (let tries = 0; tries < 11; tries++) {
      await page.getByLabel('Handle').fill('nobody');
      await page.getByLabel('Password').fill('a guess');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    }
    await page.getByText('pilot_rate_limited').waitFor();
    await expectLegible(page, 'too-many-tries');
    expect(watched.takeFaults()).toEqual([]);
  });
});
