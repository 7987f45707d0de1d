import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../src/launch/free-port.js';
import { readConfig } from '../../src/base/config/config.js';
import { operatorOf } from '../support/api.js';
import { someName } from '../support/operators.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { SmtpServer } from '../support/smtp-server.js';
import { linkIn } from '../auth/support/mail.js';
import { newHandle, password } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { enrollInBrowser } from './support/console.js';
import { expectLegible, isFocusVisible } from './support/legibility.js';
import { Keyboard } from './support/keyboard.js';
import { WatchedBrowser } from './support/watched-browser.js';

const NEXT = 'another horse battery';

/** @slow */
describeInBrowser('a way back into an account, in a real browser,', () => {
  let smtp: SmtpServer;
  let network: TestNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    [network, chromium] = await Promise.all([
      startNetwork({ ...smtp.settings, OPERATOR_CONTACT: 'desk@plaza.example' }),
      startChromium(),
    ]);
    watched = new WatchedBrowser(chromium);
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await network?.stop();
    await smtp?.stop();
  });

  const account = () => `${network.baseUrl}/api/auth/account`;

  /** Types into the field that has the focus, which must be visible. */
  async function type(page: Page, ...texts: readonly string[]): Promise<void> {
    for (const [index, text] of texts.entries()) {
      if (index > 0) await page.keyboard.press('Tab');
      expect(await isFocusVisible(page)).toBe(true);
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
  }

  const press = (page: Page, name: string) => new Keyboard(page).activate(name, 40);

  it('with the keyboard alone: sign-up, confirmation, change of address, forgotten password', async () => {
    const handle = newHandle('mia');
    const [first, second] = [`${handle}@example.org`, `new.${handle}@example.org`];
    const page = await watched.newPage();
    await page.goto(`${account()}/sign-up`);
    await type(page, handle, 'Mia', first, password);
    await page.getByText('not confirmed').waitFor();
    await expectLegible(page, 'address-unconfirmed');
    const link = linkIn(await smtp.take(first));

    const stranger = await watched.newPage();
    await stranger.goto(link);
    await expectLegible(stranger, 'address-sign-in-first');

    await page.goto(link);
    await expectLegible(page, 'address-confirm');
    await press(page, 'Confirm the address');
    await page.getByText('Your address is confirmed.').waitFor();
    await expectLegible(page, 'address-confirmed');

    await press(page, 'change');
    await page.getByRole('heading', { name: 'Another e-mail address' }).waitFor();
    await type(page, second, 'a wrong password');
    await page.getByRole('alert').waitFor();
    await expectLegible(page, 'address-change-again');
    await page.getByLabel('Your password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('A mail is on its way').waitFor();
    await page.goto(linkIn(await smtp.take(second)));
    await press(page, 'Confirm the address');
    await page.getByText(`${second} (confirmed`).waitFor();
    await smtp.take(first);

    await page.goto(link);
    await press(page, 'Confirm the address');
    await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
    await expectLegible(page, 'address-link-ended');

    const other = await watched.newPage();
    await other.goto(account());
    await press(other, 'Forgot your password?');
    await other.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await expectLegible(other, 'recovery');
    await type(other, 'nobody');
    await other.getByLabel('E-mail address').waitFor();
    await other.getByLabel('E-mail address').fill(second);
    await other.keyboard.press('Enter');
    await other.getByText('a mail is on its way').waitFor();
    await expectLegible(other, 'recovery-asked');
    const recovery = linkIn(await smtp.take(second));
    await other.goto(recovery);
    expect(other.url()).not.toContain('token');
    await expectLegible(other, 'recovery-password');
    await type(other, 'password1');
    await other.getByRole('alert').waitFor();
    await expectLegible(other, 'recovery-password-again');
    await type(other, NEXT);
    await other.getByText('Your new password is set').waitFor();
    await expectLegible(other, 'recovery-done');

    await stranger.goto(recovery);
    await stranger.getByRole('heading', { name: 'This link has ended' }).waitFor();
    await expectLegible(stranger, 'recovery-ended');
    await page.goto(account());
    await page.getByLabel('Handle').waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  it('of a network that sends no mail says whom to ask', async () => {
    const port = String(await freePort());
    const origin = `http://plaza.test:${port}`;
    const contact = 'desk@plaza.example';
    const silent = await startNetwork({ PORT: port, BASE_URL: origin, OPERATOR_CONTACT: contact });
    try {
      const page = await watched.newPage();
      await page.goto(`${origin}/api/auth/account/recovery`);
      await page.getByText(contact).waitFor();
      await expectLegible(page, 'recovery-without-mail');
      const handle = newHandle('noa');
      await page.goto(`${origin}/api/auth/account/sign-up`);
      await type(page, handle, 'Noa', `${handle}@example.org`, password);
      await page.getByText('not confirmed').waitFor();
      await expectLegible(page, 'account-without-mail');
      await page.goto(`${origin}/api/auth/account/address`);
      await page.getByText(contact).waitFor();
      await expectLegible(page, 'address-without-mail');
      expect(watched.takeFaults()).toEqual([]);
    } finally {
      await silent.stop();
    }
  });

  it('by a link of the operators, which its person sees and ends', async () => {
    const handle = newHandle('ida');
    const address = `${handle}@example.org`;
    const page = await watched.newPage();
    await page.goto(`${account()}/sign-up`);
    await type(page, handle, 'Ida', address, password);
    await page.getByText('not confirmed').waitFor();
    await page.goto(linkIn(await smtp.take(address)));
    await press(page, 'Confirm the address');
    await page.getByText('Your address is confirmed.').waitFor();

    const desk = await watched.newPage();
    const { operatorBaseUrl } = readConfig(network.env);
    const { link } = await operatorOf(network).post('operators', {
      name: someName('Ada'),
      roles: ['administrator'],
    });
    await enrollInBrowser(desk, link);
    const { found } = await operatorOf(network).get('subjects', { q: handle });
    await desk.goto(`${operatorBaseUrl}/console/accounts/${found[0]?.id}`);
    await desk.locator('summary', { hasText: 'Make a link that sets a new password' }).click();
    await desk.locator('#account-make_recovery_link-reason').fill('asked by letter 4');
    await desk.getByRole('button', { name: 'Make a link that sets a new password' }).click();
    const made = (await desk.locator('.secret').textContent()) ?? '';
    await expectLegible(desk, 'operator-link-made');
    await desk.goto(`${operatorBaseUrl}/console/accounts/${found[0]?.id}`);
    await desk.locator('summary', { hasText: 'End the link' }).waitFor();
    await expectLegible(desk, 'operator-link-dossier');

    const other = await watched.newPage();
    await other.goto(made);
    await other.getByRole('heading', { name: 'This link does not work yet' }).waitFor();
    expect(other.url()).not.toContain('token');
    await expectLegible(other, 'operator-link-early');
    await other.goto(linkIn(await smtp.take(address)));
    await expectLegible(other, 'operator-link-end');
    await page.goto(account());
    await page.getByRole('heading', { name: 'The operators made a link into your account' }).waitFor();
    await expectLegible(page, 'operator-link-open');
    await press(other, 'End the link');
    await other.getByRole('heading', { name: 'The link is ended' }).waitFor();
    await expectLegible(other, 'operator-link-ended');
    await page.goto(account());
    await page.getByText('ended before its use').waitFor();
    await expectLegible(page, 'operator-link-past');
    expect(watched.takeFaults()).toEqual([]);
  });
});
