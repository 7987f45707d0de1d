/** @slow */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { password } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults } from './support/console.js';
import { expectLegible, isFocusVisible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('an address that is opened by hand', () => {
  let network: TestNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([
      startNetwork({ OPERATOR_CONTACT: 'help@plaza.example' }),
      startChromium(),
    ]);
    watched = new WatchedBrowser(chromium);
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await network?.stop();
  });

  async function expectGood(page: Page, name: string): Promise<void> {
    await expectLegible(page, name);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page, { ofColour: colorScheme === 'dark' })).toEqual([]);
    }
  }

  it.each([
    ['/nothing', 'Page not found', 'page-404'],
    ['/api/posts', 'This address is no page', 'page-405'],
    [
      '/api/auth/oauth2/authorize?client_id=nobody&response_type=code&state=s',
      'Unknown application',
      'page-invalid-client',
    ],
    ['/readyz', 'The network is ready', 'page-ready'],
  ])('is a page that leads home by keyboard: %s', async (path, title, name) => {
    const page = await watched.newPage();
    await page.goto(network.baseUrl + path);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await expectGood(page, name);
    await page.keyboard.press('Tab');
    expect(await isFocusVisible(page)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'One account for every application you like' }).waitFor();
    expect(page.url()).toBe(`${network.baseUrl}/`);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('says who can mend it while the event store does not answer', async () => {
    const page = await watched.newPage();
    await page.goto(`${network.baseUrl}/api/auth/account/sign-up`);
    const typed = { Handle: 'ana', 'Display name': 'Ana', 'E-mail': 'a@example.org', Password: password };
    for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
    const { eventStore } = network.pids();
    if (eventStore === undefined) throw new Error('the network has no event store of its own');
    process.kill(eventStore, 'SIGSTOP');
    try {
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Not available right now', level: 1 }).waitFor();
      await page.getByRole('link', { name: 'help@plaza.example' }).waitFor();
      await expectGood(page, 'page-503');
      await page.goto(`${network.baseUrl}/readyz`);
      await page.getByRole('heading', { name: 'The network is not ready', level: 1 }).waitFor();
      await page.getByRole('link', { name: 'help@plaza.example' }).waitFor();
      await expectGood(page, 'page-not-ready');
      expect(await page.getByText('not working', { exact: true }).count()).toBeGreaterThan(0);
    } finally {
      process.kill(eventStore, 'SIGCONT');
    }
  });
});
