import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { createAccount, newHandle, password, startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { allow, Flow, signIn, statusOfProfile } from './support/flow.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('the account page, in a real browser', () => {
  let network: SharedNetwork;
  let application: LocalApplication;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    application = await startApplication(network, 'Pebble & Sons');
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await application?.stop();
  });

  const account = () => `${network.baseUrl}/api/auth/account`;
  const somebody = () => createAccount(network, newHandle('person'));

  /** A new browser, signed in at the account page. */
  async function open(handle: string): Promise<Page> {
    const page = await watched.newPage();
    await page.goto(account());
    await signIn(page, handle);
    await page.getByRole('heading', { name: 'Applications with access' }).waitFor();
    return page;
  }

  /** Connects the application, and returns its access token. */
  async function connect(page: Page): Promise<string> {
    const flow = await Flow.begin(network, application);
    await page.goto(flow.url);
    await allow(page);
    return flow.accessToken(page);
  }

  const isSignedIn = async (page: Page): Promise<boolean> => {
    await page.goto(account());
    return (await page.getByLabel('Handle').count()) === 0;
  };

  it('lists connected applications, and disconnects one at once', async () => {
    const page = await open(await somebody());
    const token = await connect(page);
    await page.goto(account());
    const section = page.getByRole('region', { name: 'Applications with access' });
    const entry = section.getByRole('listitem').filter({ hasText: 'Pebble & Sons' });
    expect(await entry.locator('time').count()).toBe(2);
    expect(await entry.innerText()).toContain('Write posts and replies in your name');
    expect(await statusOfProfile(network, token)).toBe(200);
    await entry.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('status').waitFor();
    expect(await page.getByText('Write posts and replies').count()).toBe(0);
    expect(await statusOfProfile(network, token)).toBe(401);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('changes the password, and signs out every other browser', async () => {
    const handle = await somebody();
    const [page, other] = [await open(handle), await open(handle)];
    const changed = 'a quite different one';
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password').fill(changed);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill(changed);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('status').waitFor();
    expect([await isSignedIn(page), await isSignedIn(other)]).toEqual([true, false]);
    await signIn(other, handle, password);
    await other.getByRole('alert').waitFor();
    await signIn(other, handle, changed);
    expect(await isSignedIn(other)).toBe(true);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('signs out, and going back in the history shows nothing personal', async () => {
    const handle = await somebody();
    const page = await open(handle);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Password').waitFor();
    await page.goBack().catch(() => undefined);
    await page.goBack().catch(() => undefined);
    expect(await page.content()).not.toContain(`@${handle}`);
    expect(await isSignedIn(page)).toBe(false);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('signs out everywhere, and keeps applications connected', async () => {
    const handle = await somebody();
    const [page, other] = [await open(handle), await open(handle)];
    const token = await connect(page);
    await page.goto(account());
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByLabel('Password').waitFor();
    expect([await isSignedIn(page), await isSignedIn(other)]).toEqual([false, false]);
    expect(await statusOfProfile(network, token)).toBe(200);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('signs out everywhere and disconnects applications, if the person asks for it', async () => {
    const page = await open(await somebody());
    const token = await connect(page);
    await page.goto(account());
    await page.getByLabel('Also disconnect every application').check();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await statusOfProfile(network, token)).toBe(401);
  });

  it('schedules the deletion of the account, and cancels it', async () => {
    const handle = await somebody();
    const page = await open(handle);
    const token = await connect(page);
    await page.goto(account());
    const section = page.getByRole('region', { name: 'Delete your account' });
    await page.getByLabel('Your password', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await section.getByRole('alert').waitFor();
    await page.getByLabel('Your password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    const pending = page.getByRole('region', { name: 'Your account will be deleted' });
    expect(Date.parse((await pending.locator('time').getAttribute('datetime')) ?? '')).toBeGreaterThan(
      Date.now() + 6 * 24 * 60 * 60_000,
    );
    const other = await watched.newPage();
    await other.goto(account());
    await signIn(other, handle);
    await other.getByRole('button', { name: 'Keep my account' }).click();
    await other.getByRole('status').waitFor();
    await page.reload();
    await section.waitFor();
    expect(await pending.count()).toBe(0);
    expect(await statusOfProfile(network, token)).toBe(200);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('makes a new account', async () => {
    const page = await watched.newPage();
    await page.goto(account());
    await page.getByRole('link', { name: 'Create an account' }).click();
    const handle = newHandle('newcomer');
    const typed = {
      Handle: handle,
      'Display name': 'New',
      'E-mail': `${handle}@example.org`,
      Password: password,
    };
    for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText(`@${handle}`).waitFor();
    expect(await isSignedIn(page)).toBe(true);
    expect(watched.takeFaults()).toEqual([]);
  });
});
