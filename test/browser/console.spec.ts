/** @slow */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { operatorClient } from '../support/operator-client.js';
import type { OperatorClient } from '../support/operator-client.js';
import { registerApplication, signIn } from '../support/api.js';
import { sampleOf } from '../support/sample.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { post } from '../support/social.js';
import { until } from '../support/until.js';
import { someName } from '../support/operators.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, addAuthenticator } from './support/console.js';
import { expectLegible, isFocusVisible, overflowingElements } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('the console, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let client: OperatorClient;
  let url: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    const config = readConfig(network.env);
    client = operatorClient(config);
    url = `${config.operatorBaseUrl}/console`;
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { name }).first().waitFor();

  /** A browser with a passkey, at the overview. */
  async function enroll(...roles: Role[]): Promise<Page> {
    const { link } = await client.post('operators', {
      name: someName('Grace Hopper'),
      roles,
      reason: 'a test',
    });
    const page = await watched.newPage();
    await addAuthenticator(page);
    await page.goto(link);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await heading(page, /The network/);
    return page;
  }

  it('makes a passkey from an invitation, signs out, and in again', async () => {
    const page = await enroll('viewer');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in to the console');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await heading(page, /The network/);
    await page.getByRole('link', { name: 'Your access' }).click();
    expect(await page.getByText('last used on').count()).toBe(1);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('says what is wrong if the browser has no passkey, and goes on with the page that was asked', async () => {
    const page = await watched.newPage();
    await addAuthenticator(page);
    await page.goto(`${url}/operators`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('Nothing was sent');
    const admin = await enroll('administrator');
    await admin.goto(`${url}/operators`);
    await admin.getByRole('button', { name: 'Sign out' }).click();
    await admin.goto(`${url}/operators`);
    await admin.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await heading(admin, 'Operators');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('is accessible and legible on every page, in light and dark, wide and narrow', async () => {
    const application = await registerApplication(network, 'Pebble & Sons');
    const person = await signIn(network, application);
    const postId = await post(person, 'a claim '.repeat(30));
    const page = await enroll('administrator', 'moderator', 'auditor');
    const plan = { kind: 'accounts', actorIds: [(await signIn(network, application)).actorId] } as const;
    const { digest } = await client.post('batches/preview', plan);
    const { batchId } = await client.post('batches', { ...plan, digest, reason: 'a test' });
    const grants = await page.request.get(`${url}/accounts/${person.actorId}`);
    const [, grant = ''] = /"\/console(\/grants\/[\w-]+)"/.exec(await grants.text()) ?? [];
    const { build } = await client.post('as-of', { at: new Date().toISOString(), actor: person.actorId });
    await until(
      async () =>
        (await client.get('as-of/:position', { position: build.position, actor: person.actorId })).view,
    );
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).ok);
    const pages: readonly (readonly [string, string, string | RegExp])[] = [
      ['overview', '/overview', 'The network is serving'],
      ['plots', '/plots', 'Plots'],
      ['find', `/subjects?q=${person.actorId}`, 'Find'],
      ['as-of', '/as-of', 'As of a moment'],
      ['as-of-view', `/as-of/${build.position}?actor=${person.actorId}`, 'As of'],
      ['applications', '/applications', 'Applications'],
      ['approvals', '/approvals', 'Approvals'],
      ['four-eyes', '/four-eyes', 'Four-eyes is off'],
      ['operators', '/operators', 'Operators'],
      ['own', '/own?done=own.revoke_token', 'Your passkeys'],
      ['account', `/accounts/${person.actorId}`, 'Person'],
      ['application', `/applications/${application.clientId}`, 'Pebble'],
      ['grant', grant, 'Grant'],
      ['post', `/posts/${postId}`, 'Post'],
      ['impact', `/applications/${application.clientId}/impact`, 'What Pebble & Sons did'],
      ['batches', '/batches', 'Batches'],
      ['batch', `/batches/${batchId}`, 'Suspension of 1 account'],
      ['audit', `/audit?q=actor:${person.actorId}`, 'Audit'],
      ['log', '/log', 'Log'],
      ['stream', `/log/post-${postId}`, 'Stream'],
      ['projections', '/projections', 'Projections'],
      ['recovery', '/recovery', 'Recovery'],
      ['plan', '/recovery/plan', 'Plan of a recovery'],
    ];
    const faults: Record<string, string[]> = {};
    const check = async (name: string) => {
      await page.evaluate(() => document.querySelectorAll('details').forEach((each) => (each.open = true)));
      faults[name] = await accessibilityFaults(page);
      await expectLegible(page, `console-${name}`, {
        isLong: ['operators', 'batches', 'log'].includes(name),
      });
    };
    for (const [name, path, title] of sampleOf(pages, 5)) {
      await page.goto(url + path);
      await heading(page, title);
      await check(name);
    }
    await page.goto(`${url}/own`);
    await page.getByText('Issue a token', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Issue a token' }).click();
    await heading(page, 'Your new token');
    await check('secret');
    await page.goto(`${url}/posts/${postId}`);
    await page.getByText('Disclose texts that are not public').first().click();
    await page.getByLabel('published a post').check();
    await page.locator('#text-disclose-reason').fill('a test');
    await page.getByRole('button', { name: 'Disclose texts that are not public' }).click();
    await heading(page, 'Disclosed texts');
    await check('disclosed');
    await page.goto(`${url}/nothing`);
    await heading(page, 'Page not found');
    await check('fault');
    await page.getByRole('link', { name: 'Go to the console' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in to the console');
    await check('sign-in');
    await page.goto((await client.post('operators', { name: 'Ida', roles: ['viewer'] })).link);
    await check('enrollment');
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
    expect(watched.takeFaults()).toEqual([]);
  });

  it('draws live plots, each with its data in a table, and the times of the reader', async () => {
    const signedIn = await enroll('viewer');
    const storageState = await signedIn.context().storageState();
    const page = await watched.newPage({ storageState, timezoneId: 'Asia/Tokyo' });
    await page.goto(`${url}/overview`);
    await page.getByRole('link', { name: 'Plots' }).click();
    await page.locator('[data-updates]').waitFor();
    const plots = await page.getByRole('img').all();
    expect(plots.length).toBeGreaterThan(5);
    for (const plot of plots) expect(await plot.locator('canvas').count()).toBe(1);
    await page.getByText('Posts a minute: table').click();
    const rows = (of: Page) => of.locator('#table-posts tbody th').allTextContents();
    expect(await rows(page)).toHaveLength(60);
    const plain = await watched.newPage({ storageState, javaScriptEnabled: false });
    await plain.goto(`${url}/plots`);
    const [, , time] = await rows(plain);
    const inTokyo = new Date(Date.parse(`1970-01-01T${time}Z`) + 9 * 3_600_000);
    expect(await rows(page)).toContain(inTokyo.toISOString().slice(11, 19));
    for (const [of, zone] of [
      [page, 'Asia/Tokyo'],
      [plain, 'UTC'],
    ] as const) {
      expect(await of.getByText('The last half hour').innerText()).toContain(`in the time zone ${zone};`);
      expect(await of.locator('#table-posts thead th').first().textContent()).toBe(`Time (${zone})`);
    }
    expect(watched.takeFaults()).toEqual([]);
  });

  it('never has plots wider than the window, even before they are redrawn', async () => {
    const page = await enroll('viewer');
    const widths = () =>
      page.evaluate(() => [...document.querySelectorAll('.plot')].map((each) => each.clientWidth));
    const drawn = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('.plot .u-wrap')].map(({ style }) =>
          parseFloat(style.width),
        ),
      );
    await page.goto(`${url}/plots`);
    await page.setViewportSize({ width: 320, height: 640 });
    await until(async () => isDeepStrictEqual(await drawn(), await widths()));
    expect(await overflowingElements(page)).toEqual([]);

    await page.addInitScript(() => {
      ResizeObserver.prototype.observe = () => undefined;
      addEventListener('resize', (event) => event.stopImmediatePropagation());
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${url}/plots`);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await drawn()).not.toEqual(await widths());
    expect(await overflowingElements(page)).toEqual([]);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('works without JavaScript once signed in', async () => {
    const signedIn = await enroll('administrator');
    const invited = await client.post('operators', {
      name: 'Scriptless Sam',
      roles: ['viewer'],
      reason: 'a test',
    });
    const page = await watched.newPage({
      javaScriptEnabled: false,
      storageState: await signedIn.context().storageState(),
    });
    await page.goto(`${url}/operators`);
    const sam = page.getByRole('listitem').filter({ hasText: invited.operatorId });
    await sam.getByText('Suspend', { exact: true }).first().click();
    await sam.getByLabel('Reason').last().fill('a test');
    await sam.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('The operator is suspended.').waitFor();
    expect(
      (await client.get('operators')).find(({ operatorId }) => operatorId === invited.operatorId)?.state,
    ).toBe('suspended');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('is used by keyboard alone, with a visible focus', async () => {
    const page = await enroll('administrator');
    const reached: string[] = [];
    for (let presses = 0; presses < 24; presses += 1) {
      await page.keyboard.press('Tab');
      if (!(await isFocusVisible(page))) break;
      reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
    }
    expect(reached).toEqual(
      expect.arrayContaining(['Overview', 'Operators', expect.stringContaining('Your access'), 'Sign out']),
    );
    await page.getByRole('link', { name: 'Operators' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Operators');
    await page.getByText('Invite an operator').first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').first().fill('Ada');
    await page
      .getByLabel(/^viewer/)
      .first()
      .check();
    await page.getByRole('button', { name: 'Invite an operator' }).press('Enter');
    await heading(page, 'The invitation');
    expect(watched.takeFaults()).toEqual([]);
  });
});
