import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { personWithPage } from '../support/account-visitor.js';
import type { PersonWithPage } from '../support/account-visitor.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { follow, like, post } from '../support/social.js';
import { until } from '../support/until.js';
import { password } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { signIn } from './support/flow.js';
import { expectLegible, isFocusVisible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const scope = 'openid read post:create relation:write';

describeInBrowser('what happened in my name, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let newPerson: () => Promise<PersonWithPage>;
  let person: PersonWithPage;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    const application = await registerApplication(network, 'The Pebble Collectors’ Correspondence Society');
    newPerson = () => personWithPage(network, application, scope);
    person = await newPerson();
    const other = await personWithToken(network, application, scope);
    await follow(person, other);
    await like(person, await post(other, 'a post of another'));
    for (let n = 0; n < 25; n++) await post(person, `post ${n}`);
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  const account = () => `${network.baseUrl}/api/auth/account`;

  async function open({ handle } = person): Promise<Page> {
    const page = await watched.newPage();
    await page.goto(account());
    await signIn(page, handle);
    await page
      .getByRole('heading', { name: /^(Applications with access|Your account is suspended)$/ })
      .waitFor();
    return page;
  }

  /** The audit may lag behind the last act. */
  async function untilShown(page: Page, text: RegExp): Promise<void> {
    await until(async () => {
      await page.reload();
      return (await page.getByText(text).count()) > 0;
    });
  }

  it('lists it in sentences, page by page, by keyboard alone', async () => {
    const page = await open();
    const card = page.getByRole('region', { name: 'What happened in your name' });
    await untilShown(page, /You signed in\./);
    expect(await card.getByRole('listitem').count()).toBe(5);
    const more = card.getByRole('link', { name: 'All that happened in your name' });
    await more.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'What happened in your name' }).waitFor();
    expect(await page.getByRole('listitem').count()).toBe(25);
    await expectLegible(page, 'account-history');
    const older = page.getByRole('link', { name: 'Older' });
    await older.focus();
    expect(await isFocusVisible(page)).toBe(true);
    await page.keyboard.press('Enter');
    await page
      .getByText(/You followed @p_\w+, through The Pebble Collectors’ Correspondence Society\./)
      .waitFor();
    expect(await page.getByText('Your account was made.').count()).toBe(1);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Your account' }).click();
    await card.waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  it('downloads with the password, and says what is wrong', async () => {
    const page = await open();
    const card = page.getByRole('region', { name: 'Download your data' });
    const proof = page.getByLabel('Confirm with your password');
    await proof.fill('not this one');
    await proof.press('Enter');
    await card.getByRole('alert').waitFor();
    await expectLegible(page, 'account-download');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      proof.fill(password).then(() => proof.press('Enter')),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(file.suggestedFilename()).toMatch(/^plaza-[\d-]{10}\.jsonl$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toHaveProperty('note');

    const [readable] = await Promise.all([
      page.waitForEvent('download'),
      proof.fill(password).then(() => card.getByRole('button', { name: 'as a page' }).click()),
    ]);
    const text = readFileSync(await readable.path(), 'utf8');
    const saved = await watched.newPage();
    await saved.setContent(text);
    expect(await saved.getByText('post 24').count()).toBe(1);
    expect(await saved.getByText(/^This is all: \d+ entries\.$/).count()).toBe(1);
    await expectLegible(saved, 'own-data-page', { isLong: true });
    expect(watched.takeFaults()).toEqual([]);
  });

  it('downloads at the page of appeals, too', async () => {
    const suspended = await newPerson();
    await operatorOf(network).post('accounts/:id/suspend', { id: suspended.actorId, reason: 'a test' });
    const page = await open(suspended);
    await expectLegible(page, 'appeal-download');
    await page.getByLabel('Confirm with your password').fill(password);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toContain('account.suspended');
    expect(watched.takeFaults()).toEqual([]);
  });
});
