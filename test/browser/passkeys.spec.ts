import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { operatorClient } from '../support/operator-client.js';
import { createAccount, newHandle, password, startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, addAuthenticator, enrollInBrowser } from './support/console.js';
import { allow, Flow, signIn, statusOfProfile } from './support/flow.js';
import { expectLegible } from './support/legibility.js';
import { Keyboard } from './support/keyboard.js';
import { WatchedBrowser } from './support/watched-browser.js';

/** @slow */
describeInBrowser('passkeys of people, in a real browser,', () => {
  let network: TestNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let application: LocalApplication;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([startNetwork(), startChromium()]);
    application = await startApplication(network);
    watched = new WatchedBrowser(chromium);
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await application?.stop();
    await chromium?.close();
    await network?.stop();
  });

  const account = () => `${network.baseUrl}/api/auth/account`;

  const press = (page: Page, name: string) => new Keyboard(page).activate(name, 60);

  async function expectGood(page: Page, name: string): Promise<void> {
    await expectLegible(page, name);
    expect({ name, faults: await accessibilityFaults(page) }).toEqual({ name, faults: [] });
  }

  /** Adds a passkey of Chromium's own, with the keyboard alone. */
  async function addPasskey(page: Page, handle: string, name: string): Promise<void> {
    await addAuthenticator(page);
    await page.goto(account());
    await signIn(page, handle);
    await page.getByRole('heading', { name: 'Passkeys and second step' }).waitFor();
    await press(page, 'Add a passkey');
    await page.getByRole('heading', { name: 'Your passkeys' }).waitFor();
    await press(page, 'Add a passkey');
    await page.getByLabel('Your password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the passkey').waitFor();
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await page.getByText('The passkey is added').waitFor();
  }

  it('are added, sign in here and for an application, ask a second step, and are removed', async () => {
    const handle = await createAccount(network, newHandle('mia'));
    const page = await watched.newPage();
    await page.goto(account());
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await expectGood(page, 'passkey-sign-in');
    await addPasskey(page, handle, 'My laptop');
    await expectGood(page, 'passkeys-one');

    await page.goto(account());
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByLabel('Handle').waitFor();
    await press(page, 'Sign in with a passkey');
    await page.getByText('Passkeys: My laptop.').waitFor();
    await expectGood(page, 'passkeys-account');

    await page.getByRole('link', { name: 'Manage them' }).click();
    await page.getByRole('link', { name: 'Turn it on' }).click();
    await page.getByRole('heading', { name: 'Turn the second step on' }).waitFor();
    await expectGood(page, 'passkeys-confirm');
    await press(page, 'Use a passkey instead');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await expectGood(page, 'passkeys-codes');
    const codes = await page.locator('code').allTextContents();
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByText('It is on.').waitFor();
    await expectGood(page, 'passkeys-strict');

    const other = await watched.newPage();
    await other.goto(account());
    await signIn(other, handle);
    await other.getByRole('heading', { name: 'Second step for' }).waitFor();
    await expectGood(other, 'second-step');
    await other.getByLabel('Recovery code').fill('wrong');
    await other.keyboard.press('Enter');
    await other.getByText('none of your recovery codes').waitFor();
    await expectGood(other, 'second-step-again');
    await other.getByLabel('Recovery code').fill(codes[0] ?? '');
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Passkeys and second step' }).waitFor();

    await page.goto(account());
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    const flow = await Flow.begin(network, application);
    await page.goto(flow.url);
    await signIn(page, handle);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await allow(page);
    expect(await statusOfProfile(network, await flow.accessToken(page))).toBe(200);
    const again = await Flow.begin(network, application, { prompt: 'login consent' });
    await page.goto(again.url);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await allow(page);
    expect(await statusOfProfile(network, await again.accessToken(page))).toBe(200);

    await page.goto(`${account()}/passkeys`);
    await page.getByRole('link', { name: 'Turn it off' }).click();
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await page.getByText('The second step is off.').waitFor();
    await page.getByRole('link', { name: 'Remove My laptop' }).click();
    await expectGood(page, 'passkeys-remove');
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await page.getByText('The passkey is removed').waitFor();
    await other.goto(account());
    await other.getByLabel('Handle').waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  it('sign nobody in to the console, and those of operators nobody in here, at one host name', async () => {
    const config = readConfig(network.env);
    const [page, desk] = [await watched.newPage(), await watched.newPage()];
    await addPasskey(page, await createAccount(network, newHandle('ola')), 'Her phone');
    await page.goto(`${config.operatorBaseUrl}/console/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey is unknown or removed').waitFor();

    const invitation = { name: newHandle('op'), roles: ['moderator'], reason: 'a test' } as const;
    const { link } = await operatorClient(config).post('operators', {
      ...invitation,
      roles: [...invitation.roles],
    });
    await enrollInBrowser(desk, link);
    await desk.goto(account());
    await desk.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await desk.getByText('This passkey opens no account here').waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  it('are no part of a page without scripts, where the password signs in', async () => {
    const handle = await createAccount(network, newHandle('noa'));
    const page = await watched.newPage({ javaScriptEnabled: false });
    await page.goto(account());
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    await signIn(page, handle);
    await page.getByRole('heading', { name: 'Passkeys and second step' }).waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });
});
