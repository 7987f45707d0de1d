import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults } from './support/console.js';
import { expectLegible, isFocusVisible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('the landing page', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
  });

  afterAll(async () => {
    await watched?.close();
    await chromium?.close();
  });

  it('asks for nothing but itself, and can be read in all sizes and colours', async () => {
    const page = await watched.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(network.baseUrl);
    expect(asked).toEqual([`${network.baseUrl}/`]);
    await expectLegible(page, 'landing');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page, { ofColour: colorScheme === 'dark' })).toEqual([]);
    }
    expect(watched.takeFaults()).toEqual([]);
  });

  it('is used by keyboard alone, with a visible focus', async () => {
    const page = await watched.newPage();
    await page.goto(network.baseUrl);
    const reached: string[] = [];
    const next = async () => {
      await page.keyboard.press('Tab');
      expect(await isFocusVisible(page)).toBe(true);
      reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
    };
    await next();
    await next();
    expect(reached).toEqual(['Plaza', 'Create an account']);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Create your account', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Plaza', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'One account for every application you like' }).waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  it.each([
    ['Create an account', 'Create your account'],
    ['Sign in to your account', 'Sign in to Plaza'],
    ['API reference', 'The API, version pilot'],
    ['Status of this network', 'The network is ready'],
  ])('leads by %j to the page %j, also from another name of the host', async (link, title) => {
    const page = await watched.newPage();
    await page.goto(network.baseUrl.replace('localhost', '127.0.0.1'));
    await page.getByRole('link', { name: link }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    expect(new URL(page.url()).origin).toBe(network.baseUrl);
    expect(watched.takeFaults()).toEqual([]);
  });
});
