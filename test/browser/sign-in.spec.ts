import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { createAccount, newHandle, password, startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { allow, Flow, signIn, statusOfProfile } from './support/flow.js';
import { isFocusVisible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('sign-in through an application, in a real browser,', () => {
  let network: SharedNetwork;
  let application: LocalApplication;
  let ana: string;
  let ben: string;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    application = await startApplication(network);
    ana = await createAccount(network, newHandle('ana'), 'Ana Example');
    ben = await createAccount(network, newHandle('ben'), 'Ben Example');
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await application?.stop();
  });

  async function arrive(page: Page, changes: Readonly<Record<string, string>> = {}): Promise<Flow> {
    const flow = await Flow.begin(network, application, changes);
    await page.goto(flow.url);
    return flow;
  }

  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('ends with a usable token, %s', async (_how, javaScriptEnabled) => {
    const page = await watched.newPage({ javaScriptEnabled });
    const flow = await arrive(page);
    await signIn(page, ana);
    await page.getByText('Ana Example').waitFor();
    await allow(page);
    expect(await statusOfProfile(network, await flow.accessToken(page))).toBe(200);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('works with the keyboard alone, with a visible focus at each step', async () => {
    const page = await watched.newPage();
    const flow = await arrive(page);
    const type = async (text: string) => {
      expect(await isFocusVisible(page)).toBe(true);
      await page.keyboard.type(text);
    };
    // The first field has the focus already.
    await type(ana);
    await page.keyboard.press('Tab');
    await type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    const reached: string[] = [];
    while (reached.at(-1) !== 'Allow' && reached.length < 5) {
      await page.keyboard.press('Tab');
      expect(await isFocusVisible(page)).toBe(true);
      reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
    }
    expect(reached).toEqual(['Plaza', 'Allow']);
    await page.keyboard.press('Enter');
    expect(await statusOfProfile(network, await flow.accessToken(page))).toBe(200);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('accepts another attempt after a wrong password, and keeps the handle', async () => {
    const page = await watched.newPage();
    const flow = await arrive(page);
    await signIn(page, ana, 'wrong password');
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Handle').inputValue()).toBe(ana);
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await signIn(page, ana);
    await allow(page);
    expect((await flow.waitForReturn(page)).searchParams.has('code')).toBe(true);
  });

  it('makes an account, and continues to the application', async () => {
    const page = await watched.newPage();
    const flow = await arrive(page);
    await page.getByRole('link', { name: 'Create an account' }).click();
    const fill = async (typed: Readonly<Record<string, string>>) => {
      for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
      await page.getByRole('button', { name: 'Create account' }).click();
    };
    const cleo = newHandle('cleo');
    const typed = { 'Display name': 'Cleo', 'E-mail': `${cleo}@example.org`, Password: password };
    await fill({ ...typed, Handle: ana });
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Display name').inputValue()).toBe('Cleo');
    await fill({ Handle: cleo, Password: password });
    await page.getByText(`@${cleo}`).waitFor();
    await allow(page);
    expect(await statusOfProfile(network, await flow.accessToken(page))).toBe(200);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('returns no code if the person denies', async () => {
    const page = await watched.newPage();
    const flow = await arrive(page);
    await signIn(page, ana);
    await page.getByRole('button', { name: 'Deny' }).click();
    const { searchParams } = await flow.waitForReturn(page);
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.has('code')).toBe(false);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('can continue with another account', async () => {
    const page = await watched.newPage();
    const flow = await arrive(page);
    await signIn(page, ana);
    await page.getByRole('button', { name: 'Use another account' }).click();
    await signIn(page, ben);
    await page.getByText('Ben Example').waitFor();
    expect(await page.getByText('Ana Example').count()).toBe(0);
    await allow(page);
    expect(await statusOfProfile(network, await flow.accessToken(page))).toBe(200);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('asks for the password once in a browser, and for consent each time', async () => {
    const page = await watched.newPage();
    await arrive(page);
    await signIn(page, ana);
    await allow(page);
    const again = await arrive(page);
    await allow(page);
    expect((await again.waitForReturn(page)).searchParams.has('code')).toBe(true);
  });

  it('ends with sign-out, and going back in the history shows nothing personal', async () => {
    const page = await watched.newPage();
    const flow = await arrive(page);
    await signIn(page, ana);
    await page.getByText('Ana Example').waitFor();
    const consent = page.url();
    await allow(page);
    await flow.waitForReturn(page);
    await page.goto(`${network.baseUrl}/api/auth/oauth2/end-session`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('You can close this page').waitFor();
    for (const address of ['back', 'back', 'back', consent]) {
      await (address === 'back' ? page.goBack().catch(() => undefined) : page.goto(address));
      expect(await page.content()).not.toContain('Ana Example');
    }
    await arrive(page);
    await page.getByLabel('Password').waitFor();
  });

  it.each([
    ['with a session', true],
    ['without a session', false],
  ])('ends at the request of an application, which gets the browser back, %s', async (_who, isSignedIn) => {
    const page = await watched.newPage();
    if (isSignedIn) {
      await arrive(page);
      await signIn(page, ana);
      await page.getByText('Ana Example').waitFor();
    }
    const { clientId: client_id, signedOutUri } = application;
    const asked = new URLSearchParams({ client_id, post_logout_redirect_uri: signedOutUri, state: 'bye' });
    await page.goto(`${network.baseUrl}/api/auth/oauth2/end-session?${asked}`);
    // Without a session nothing is asked.
    if (isSignedIn) await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('Signed out').waitFor();
    expect(page.url()).toBe(`${signedOutUri}?state=bye`);
    expect(watched.takeFaults()).toEqual([]);
  });
});
