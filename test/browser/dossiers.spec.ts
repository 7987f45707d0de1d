import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { decide, newModerator, reportedPost } from '../support/moderators.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { someName } from '../support/operators.js';
import { follow, like, post } from '../support/social.js';
import { until } from '../support/until.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, enrollInBrowser } from './support/console.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const scope = 'openid read post:create report:create relation:write';

describeInBrowser('dossiers and the audit, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let url: string;
  let page: Page;
  let ada: SignedIn;
  let postId: string;
  let clientId: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    url = `${readConfig(network.env).operatorBaseUrl}/console`;
    const application = await registerApplication(network, 'Pebble & Sons');
    ({ clientId } = application);
    const people = await Promise.all([1, 2, 3, 4].map(() => signIn(network, application, scope)));
    const [author, first] = people;
    ada = author!;
    postId = await post(ada, 'a <b>bold</b> claim, '.repeat(10));
    for (const text of ['two', 'three']) await post(ada, text);
    for (const other of people.slice(1)) {
      await follow(ada, other);
      await follow(other, ada);
      await like(other, postId);
    }
    const grace = await newModerator(network);
    await decide(grace, await reportedPost(grace, first!, await post(ada, 'buy my lamps')), [
      'restrict_post',
    ]);
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  async function open(path: string, isScripted = true): Promise<void> {
    const { link } = await operatorOf(network).post('operators', {
      name: someName('Grace'),
      roles: ['moderator'],
      reason: 'a test',
    });
    page = await watched.newPage();
    await enrollInBrowser(page, link);
    if (!isScripted) {
      const storageState = await page.context().storageState();
      page = await watched.newPage({ javaScriptEnabled: false, storageState });
    }
    await page.goto(url + path);
  }

  it('are accessible and legible, closed and open', async () => {
    await open(`/accounts/${ada.actorId}`);
    await until(async () => {
      await page.reload();
      return (await page.getByText('Followed 3 people').count()) > 0;
    });
    const faults: Record<string, string[]> = {};
    for (const [name, path] of [
      ['person', `/accounts/${ada.actorId}`],
      ['thread', `/posts/${postId}`],
      ['app', `/applications/${clientId}`],
      ['impact', `/applications/${clientId}/impact`],
      ['search', `/audit?q=actor:${ada.actorId}`],
      ['refused', '/audit?q=actor:%3Cb%3E'],
      ['found', `/subjects?q=${postId}`],
    ] as const) {
      await page.goto(url + path);
      faults[name] = await accessibilityFaults(page);
      await expectLegible(page, `dossiers-${name}`);
      await page.evaluate(() => document.querySelectorAll('details').forEach((each) => (each.open = true)));
      faults[`${name}, open`] = await accessibilityFaults(page);
      await expectLegible(page, `dossiers-${name}-open`, { isLong: true });
    }
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
    expect(watched.takeFaults()).toEqual([]);
  });

  it('work without a script: acts unfold, and the fields beside the search add their terms', async () => {
    await open(`/accounts/${ada.actorId}`, false);
    await page.getByText('Followed 3 people').click();
    expect(await page.getByText('Followed Person', { exact: false }).first().isVisible()).toBe(true);
    await page.goto(`${url}/audit?q=nonsense`);
    expect(await page.getByRole('alert').innerText()).toContain('names no filter');
    expect(await page.locator('#q').inputValue()).toBe('nonsense');
    await page.locator('#q').fill('');
    await page.getByLabel('Add: what happened').selectOption('followed somebody or liked a post');
    await page.getByLabel('Add: a person, by handle or id').fill(ada.actorId);
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.locator('#q').inputValue()).toBe(`type:relation.established actor:${ada.actorId}`);
    expect(await page.getByText('liked the post').count()).toBe(3);
    expect(watched.takeFaults()).toEqual([]);
  });
});
