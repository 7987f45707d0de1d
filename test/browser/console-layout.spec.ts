import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { style } from '../../src/base/pages/style.js';
import { readConfig } from '../../src/base/config/config.js';
import { html } from '../../src/base/pages/html.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { consolePage } from '../../src/operator/console/layout.js';
import { bringActs } from '../../src/operator/console/may.js';
import { consoleStyle } from '../../src/operator/console/style.js';
import { table } from '../../src/operator/console/tables.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { operatorOf, password, registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { newModerator, reportedPost } from '../support/moderators.js';
import { consented } from '../support/people.js';
import { sampleOf } from '../support/sample.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { follow, post } from '../support/social.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, enrollInBrowser } from './support/console.js';
import { isFocusVisible, overflowingElements } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const ofSixty = (unit: string): string => Array.from(unit.repeat(60)).slice(0, 60).join('');

/** Names of 60 code points. A name may have 30 combining marks in a row. */
const names: Readonly<Record<string, string>> = {
  latin: ofSixty('W'),
  arabic: ofSixty('عبدالرحمن'),
  hebrew: ofSixty('שלוםעולם'),
  thai: ofSixty('กรุงเทพมหานคร'),
  chinese: ofSixty('漢字仮名交じり文'),
  devanagari: ofSixty('कृष्णमूर्ति'),
  emoji: ofSixty('👩‍👩‍👧‍👦'),
  marks: ofSixty(`Z${'\u0353\u030D\u0315'.repeat(9)}\u0300\u0301`),
  markup: ofSixty('</a></main><script>alert(1)</script><img src=x onerror=a>'),
};

const looks = [
  [1920, 'light'],
  [1440, 'dark'],
  [1280, 'light'],
  [768, 'dark'],
  [375, 'light'],
] as const;

describeInBrowser('the layout of the console, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let url: string;
  let reported: { readonly by: SignedIn; readonly caseIds: readonly string[] };

  beforeAll(async () => {
    bringActs(actTable);
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    url = `${readConfig(network.env).operatorBaseUrl}/console`;
    reported = await reportAll();
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  async function enroll(...roles: Role[]): Promise<Page> {
    // Two operators cannot have one name.
    const name = `${randomBytes(4).toString('hex')}${ofSixty('W')}`.slice(0, 60);
    const { link } = await operatorOf(network).post('operators', { name, roles, reason: 'a test' });
    const page = await watched.newPage();
    await enrollInBrowser(page, link);
    return page;
  }

  const resize = (page: Page, width: number) => page.setViewportSize({ width, height: 900 });

  /** A person with this name, who says it, too. */
  async function personNamed(application: Parameters<typeof consented>[1], displayName: string) {
    const handle = `p_${randomBytes(5).toString('hex')}`;
    const account = { handle, displayName, email: `${handle}@example.org`, password };
    const { actorId } = await operatorOf(network).post('accounts', account);
    return consented(network, application, actorId, 'read post:create relation:write report:create');
  }

  /** Somebody who follows people with all these names, and has reported what they say. */
  async function reportAll(): Promise<typeof reported> {
    const application = await registerApplication(network, ofSixty('W'));
    const moderator = await newModerator(network);
    const by = await personNamed(application, names['marks'] ?? '');
    const caseIds: string[] = [];
    for (const name of Object.values(names)) {
      const person = await personNamed(application, name);
      await follow(by, person);
      const said = await post(person, `${name}\n${name}${name}`);
      caseIds.push(await reportedPost(moderator, by, said, name));
    }
    await operatorOf(network).get('audit', { q: `actor:${by.actorId}`, texts: false, wait: true });
    return { by, caseIds };
  }

  /** Faults of the header: it has to be one row, in which each link can be read and hit. */
  const headerFaults = (page: Page): Promise<string[]> =>
    page.evaluate(() => {
      const boxes = [...document.querySelectorAll('header a, header button')]
        .filter((each) => each.checkVisibility())
        .map((each) => each.getBoundingClientRect());
      return [
        ...((document.querySelector('header')?.clientHeight ?? Infinity) > 64 ? ['more than one row'] : []),
        ...(boxes.some(({ width }) => width < 24) ? ['too narrow'] : []),
        ...(boxes.some(({ left }, at) => at > 0 && left < (boxes[at - 1]?.right ?? 0)) ? ['overlap'] : []),
      ];
    });

  it('has names of 60 characters in every script, and texts of markup, without sideways scrolling', async () => {
    const { by, caseIds } = reported;
    const page = await enroll('administrator', 'moderator', 'auditor');
    const q = `actor:${by.actorId}`;
    const pages: readonly (readonly [string, string])[] = [
      ['overview', '/overview'],
      ['cases', '/cases?order=newest'],
      ['case of markup', `/cases/${caseIds.at(-1)}`],
      ['audit', `/audit?q=${q}`],
      ['account', `/accounts/${by.actorId}`],
      ['operators', '/operators'],
    ];
    const faults: unknown[] = [];
    for (const [name, path] of sampleOf(pages, 3)) {
      await page.goto(url + path);
      await page.locator('h1').first().waitFor();
      for (const [width, colorScheme] of looks) {
        await resize(page, width);
        await page.emulateMedia({ colorScheme });
        const seen = [
          ...(await overflowingElements(page)),
          ...(await headerFaults(page)),
          ...(await accessibilityFaults(page)),
        ];
        if (seen.length > 0) faults.push({ name, width, colorScheme, seen });
      }
    }
    expect(faults).toEqual([]);
    // A text of markup is a text: the page has no element of it, and nothing ran.
    await page.goto(`${url}/audit?q=${q}`);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.getByText('onerror').count()).toBeGreaterThan(0);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('copies an id whole by one click', async () => {
    const page = await enroll('auditor');
    await page.goto(`${url}/audit?q=actor:${reported.by.actorId}`);
    const id = page.locator('.id').first();
    await id.click();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(await id.textContent());
  });

  it('leads home by its wordmark', async () => {
    const page = await enroll('viewer');
    await page.goto(`${url}/own`);
    await page.getByRole('link', { name: 'Plaza console' }).click();
    await page.waitForURL(`${url}/overview`);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('goes to the content by a skip link, and to the notice after a form', async () => {
    const page = await enroll('viewer');
    await page.goto(`${url}/own`);
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await skip.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await isFocusVisible(page)).toBe(true);
    expect(await skip.evaluate((each) => getComputedStyle(each).clipPath)).toBe('none');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('main')?.id)).toBe('main');
    await page.getByText('Issue a token', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Issue a token' }).click();
    await page.getByRole('link', { name: 'Go on' }).click();
    await page.getByText('Revoke', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').getByText('The token is revoked.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('has a menu on a phone, by keyboard, and by touch without JavaScript', async () => {
    const signedIn = await enroll('moderator');
    await resize(signedIn, 375);
    await signedIn.goto(`${url}/cases`);
    const link = (page: Page) => page.getByRole('link', { name: 'Audit' });
    const menu = (page: Page) => page.getByRole('button', { name: 'Menu: Cases' });
    expect(await link(signedIn).count()).toBe(0);
    await menu(signedIn).press('Enter');
    await link(signedIn).waitFor();
    expect(await accessibilityFaults(signedIn)).toEqual([]);
    expect(await overflowingElements(signedIn)).toEqual([]);
    await signedIn.keyboard.press('Tab');
    expect(await isFocusVisible(signedIn)).toBe(true);
    expect(await signedIn.evaluate(() => document.activeElement?.closest('nav')?.id)).toBe('menu');
    await signedIn.keyboard.press('Escape');
    expect(await link(signedIn).count()).toBe(0);
    const page = await watched.newPage({
      javaScriptEnabled: false,
      storageState: await signedIn.context().storageState(),
      viewport: { width: 375, height: 740 },
    });
    await page.goto(`${url}/cases`);
    await menu(page).click();
    await link(page).click();
    await page.getByRole('button', { name: 'Menu: Audit' }).waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  /** Shows HTML with the style of the console. */
  async function show(page: Page, content: string): Promise<void> {
    await page.setContent(content);
    await page.addStyleTag({ content: style + consoleStyle });
  }

  it('shows a role its own places, and how many approvals wait', async () => {
    const page = await watched.newPage();
    const session = { operatorId: 'a', passkeyId: 'a', name: names['latin'] ?? '', expiresAt: 0 };
    const frame = (roles: readonly Role[]) => ({
      proof: '',
      path: '/console/cases/a',
      waiting: 12,
      session: { ...session, roles },
    });
    await show(page, consolePage('A case', html`<h1>A case</h1>`, frame(['viewer'])));
    expect(await page.locator('header [role=group] a').allInnerTexts()).toEqual([
      'Plots',
      'Overview',
      'Recovery',
    ]);
    await show(
      page,
      consolePage('A case', html`<h1>A case</h1>`, frame(['administrator', 'moderator', 'auditor'])),
    );
    for (const width of [1280, 1440]) {
      await resize(page, width);
      expect(await page.getByRole('link', { name: 'Approvals (12)' }).isVisible()).toBe(true);
      expect(await headerFaults(page)).toEqual([]);
    }
    await resize(page, 375);
    expect(await page.getByRole('button', { name: 'Menu: Cases 12 approvals' }).isVisible()).toBe(true);
    expect(await overflowingElements(page)).toEqual([]);
  });

  it('has rows of 32 pixels in a dense table, whatever the names', async () => {
    const page = await watched.newPage();
    const rows = Object.entries(names).map(([script, name]) => [
      html`<a href="/a"><bdi>${name}</bdi> <bdi>@somebody</bdi></a>
        <code class="id">${'BGfNBrvAe3'.repeat(3)}</code>`,
      `${script} ${name}${name}`,
      html`<span class="state">open</span>`,
    ]);
    const dense = table('A queue', ['author', 'text', 'state'], rows, { isDense: true });
    await show(
      page,
      `<body class="console wide"><main><h1>Queue</h1><section class="card">${dense.text}</section></main>`,
    );
    const heights = () =>
      page
        .locator('tbody tr')
        .evaluateAll((all) => [...new Set(all.map((each) => each.getBoundingClientRect().height))]);
    for (const width of [1920, 1440, 1280]) {
      await resize(page, width);
      expect([width, await heights()]).toEqual([width, [32]]);
    }
    for (const width of [1440, 768, 375]) {
      await resize(page, width);
      expect([width, await overflowingElements(page)]).toEqual([width, []]);
    }
  });
});
