import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { operatorOf } from '../support/api.js';
import { someName } from '../support/operators.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';
import { createAccount, newHandle, startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, enrollInBrowser } from './support/console.js';
import { allow, Flow, signIn } from './support/flow.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('a change of an application, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let application: LocalApplication;
  let handle: string;
  let url: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    application = await startApplication(network, 'Pebble & Sons');
    handle = await createAccount(network, newHandle('person'));
    url = `${readConfig(network.env).operatorBaseUrl}/console`;
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await application?.stop();
  });

  /** A browser without scripts, signed in as an operator with this role. */
  async function openAs(role: 'administrator' | 'moderator'): Promise<Page> {
    const name = someName('Grace');
    const { link } = await operatorOf(network).post('operators', { name, roles: [role], reason: 'a test' });
    const first = await watched.newPage();
    await enrollInBrowser(first, link);
    const storageState = await first.context().storageState();
    return watched.newPage({ javaScriptEnabled: false, storageState });
  }

  async function consentPage(): Promise<Page> {
    const page = await watched.newPage();
    const flow = await Flow.begin(network, application);
    await page.goto(flow.url);
    await signIn(page, handle);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    return page;
  }

  it('is previewed with the grants that end, and then made, without a script', async () => {
    const consent = await consentPage();
    await allow(consent);
    await consent.waitForURL((at) => at.href.startsWith(application.redirectUri));

    const page = await openAs('administrator');
    const about = `${url}/applications/${application.clientId}`;
    await page.goto(about);
    await page.getByText('Preview a change of the application').first().click();
    await page.getByLabel('Name', { exact: true }).fill('Boulder');
    await page.getByLabel('post:create').uncheck();
    await page
      .getByLabel('Redirect addresses')
      .fill(`${application.redirectUri}\nhttps://boulder.example/cb`);
    await page.getByRole('button', { name: 'Preview a change' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Pebble & Sons');
    const preview = await page.locator('main').innerText();
    expect(preview).toContain('It ends 1 grant that');
    expect(preview).toContain('https://boulder.example/cb (new)');
    expect(preview).toContain('post:create (removed)');
    await page.getByText('Change exactly this').first().click();
    await page.getByLabel('Reason').fill('its developer asked for it');
    await page.getByRole('button', { name: 'Change exactly this' }).click();
    expect(await page.getByRole('status').innerText()).toContain('The application is changed.');
    expect(page.url()).toContain(about);
    await until(async () => {
      await page.reload();
      const text = await page.locator('main').innerText();
      return text.includes('usable grants\n0') && text.includes('former name');
    });
    const changes = await page.getByRole('group', { name: 'Changes' }).innerText();
    expect(changes).toContain('name: Pebble & Sons → Boulder');
    expect(changes).toContain('redirect address added: https://boulder.example/cb');
    expect(changes).toContain('scope removed: post:create');
    expect(changes).toContain('its developer asked for it');
    expect(watched.takeFaults()).toEqual([]);
  });

  it('is no form for a moderator', async () => {
    const page = await openAs('moderator');
    await page.goto(`${url}/applications/${application.clientId}`);
    expect(await page.getByText('Suspend the application').count()).toBeGreaterThan(0);
    expect(await page.getByText('Preview a change of the application').count()).toBe(0);
  });

  it('shows people the former name, and operators a change of addresses and secret; each page is legible', async () => {
    const { clientId: id } = application;
    await operatorOf(network).post('applications/:id/rotate-secret', { id, overlapMs: 60_000 });
    const { link } = await operatorOf(network).post('operators', {
      name: someName('Grace'),
      roles: ['administrator'],
      reason: 'a test',
    });
    const page = await watched.newPage();
    await enrollInBrowser(page, link);
    await until(async () => {
      await page.goto(`${url}/overview`);
      return (await page.getByText('Applications in new hands?').count()) > 0;
    });
    const faults: Record<string, string[]> = {};
    const look = async (at: Page, name: string) => {
      faults[name] = await accessibilityFaults(at);
      await expectLegible(at, `update-${name}`);
    };
    await look(page, 'overview');
    await page.goto(`${url}/applications/${id}`);
    await page.getByText('Preview a change of the application').first().click();
    await look(page, 'form');
    await page
      .getByLabel('Name', { exact: true })
      .fill('A very long name of a boulder, with many words in it, and more');
    await page.getByLabel('openid').uncheck();
    await page.getByRole('button', { name: 'Preview a change' }).click();
    await page.getByText('Change exactly this').first().click();
    await look(page, 'preview');

    const page2 = await watched.newPage();
    const flow = await Flow.begin(network, application, { scope: 'openid offline_access read' });
    await page2.goto(flow.url);
    await signIn(page2, handle);
    await page2.getByText('It was called').waitFor();
    expect(await page2.getByText('It was called').innerText()).toMatch(
      /^It was called .*Pebble & Sons.* until /,
    );
    await look(page2, 'consent');
    await allow(page2);
    await flow.waitForReturn(page2);
    await page2.goto(`${network.baseUrl}/api/auth/account`);
    await page2.getByText('It was called').waitFor();
    await look(page2, 'account');
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
    expect(watched.takeFaults()).toEqual([]);
  });
});
