import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults } from './support/console.js';
import { expectLegible, isFocusVisible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const phone = { width: 360, height: 740 };
const desktop = { width: 1920, height: 1080 };
/** For the rules of accessibility: in dark, those of colour. The page of all has parts that stand on the other pages too. */
const looks = [
  ['light', phone],
  ['dark', phone],
  ['light', desktop],
  ['dark', desktop],
] as const;

describeInBrowser('the reference at /docs', () => {
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

  async function open(path: string, options: Parameters<WatchedBrowser['newPage']>[0] = {}): Promise<Page> {
    const page = await watched.newPage(options);
    await page.goto(network.baseUrl + path);
    return page;
  }

  const operations = (page: Page) =>
    page.locator('#menu li:visible', { has: page.locator('.method') }).allInnerTexts();

  async function pressUntil(page: Page, key: string, name: string): Promise<void> {
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press(key);
      const focused = await page.evaluate(() => document.activeElement?.textContent.trim());
      if (focused === name) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  }

  it.each([
    ['', 'docs'],
    ['/guide', 'docs-guide'],
    ['/errors', 'docs-errors'],
    ['/schemas', 'docs-schemas'],
    ['/operations/createPost', 'docs-operation'],
    ['/operations/exchangeToken', 'docs-form'],
    ['/all', 'docs-all'],
  ])(
    'can be read in all sizes and colours, by people and by programs for them: /docs%s',
    async (path, name) => {
      const page = await watched.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${network.baseUrl}/docs${path}`);
      expect(asked.filter((each) => !each.includes('icon'))).toEqual([`/docs${path}`]);
      await expectLegible(page, name, { isLong: true });
      for (const [colorScheme, size] of path === '/all' ? looks.slice(0, 1) : looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        const faults = await accessibilityFaults(page, { ofColour: colorScheme === 'dark' });
        expect({ path, size, colorScheme, faults }).toMatchObject({ faults: [] });
      }
      expect(watched.takeFaults()).toEqual([]);
    },
  );

  it('copies a block as it is shown', async () => {
    const page = await open('/docs/operations/createPost', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const sample = page.locator('figure', { has: page.getByText('curl', { exact: true }) });
    await sample.getByRole('button', { name: 'Copy: curl' }).click();
    await sample.getByRole('button', { name: 'Copied: curl' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await sample.locator('code').textContent());
    expect(watched.takeFaults()).toEqual([]);
  });

  it('finds operations by their fields, errors and parts of the guide, with the keyboard alone', async () => {
    const page = await open('/docs');
    const all = await operations(page);
    await page.keyboard.press('/');
    await page.keyboard.type('parentId');
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ found$/ })
      .waitFor();
    expect(await operations(page)).toEqual([expect.stringContaining('Create a post or a reply')]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Create a post or a reply', level: 1 }).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('capability');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#code-capability_required');
    await page.keyboard.press('/');
    await page.keyboard.type('usual libraries');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guide#settings-of-the-usual-libraries');

    for (const [typed, found] of [
      ['find a friend', 'guide#find-people'],
      ['Last-Event-ID', 'operations/*vents'],
      ['429', 'errors#code-pilot_rate_limited'],
    ] as const) {
      await page.keyboard.press('/');
      await page.getByRole('searchbox').fill(typed);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/docs/${found}`);
    }
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('handle');
    expect(await page.locator('#menu').getByRole('link', { name: 'Find people' }).isVisible()).toBe(true);

    await page.getByRole('searchbox').fill('');
    await page.keyboard.type('nothing of this name');
    await page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor();
    expect(await operations(page)).toEqual([]);
    await page.getByRole('searchbox').fill('');
    await expect(operations(page)).resolves.toEqual(all);
    expect(watched.takeFaults()).toEqual([]);
  });

  it.each([true, false])(
    'is walked by the keyboard on a phone, with its script: %s',
    async (javaScriptEnabled) => {
      const page = await open('/docs', { viewport: phone, javaScriptEnabled });
      expect(await page.getByRole('navigation').isVisible()).toBe(false);
      await pressUntil(page, 'Tab', 'Menu');
      expect(await isFocusVisible(page)).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation').waitFor();
      expect(await page.getByRole('searchbox').isVisible()).toBe(javaScriptEnabled);
      await pressUntil(page, 'Tab', 'Guide for applications');
      expect(await isFocusVisible(page)).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Applications: from registration to disconnecting' }).waitFor();
      await pressUntil(page, 'Tab', 'Skip to the content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    },
  );

  it.each(['', '/guide', '/errors', '/operations/createPost', '/all'])(
    'is whole without its script: /docs%s',
    async (path) => {
      const [scripted, plain] = await Promise.all([
        open(`/docs${path}`),
        open(`/docs${path}`, { javaScriptEnabled: false }),
      ]);
      const words = async (page: Page) =>
        (await page.locator('#content').innerText())
          .replaceAll(/^(?:Copy)?\s*$/gm, '')
          .replaceAll(/\n+/g, '\n');
      expect(await words(scripted)).toContain(await words(plain));
      expect(await plain.getByRole('searchbox').count()).toBe(0);
      expect(await plain.locator('.copy').count()).toBe(0);
      const links = (page: Page) => page.getByRole('navigation').getByRole('link').count();
      expect(await links(plain)).toBe(await links(scripted));
    },
  );
});
