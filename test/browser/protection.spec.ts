import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../src/launch/free-port.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { createAccount, startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { allow, signIn } from './support/flow.js';
import { canMakeCertificate } from '../support/certificate.js';
import { startTlsProxy } from './support/tls.js';
import type { TlsProxy } from './support/tls.js';
import { WatchedBrowser } from './support/watched-browser.js';

const describeBehindTls = canMakeCertificate ? describeInBrowser : describe.skip;

describeBehindTls('a network behind https, in a real browser:', () => {
  let network: TestNetwork;
  let tls: TlsProxy;
  let stranger: LocalApplication;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    const port = await freePort();
    const settings = { BASE_URL: `https://localhost:${port}` };
    [network, chromium] = await Promise.all([startNetwork(settings), startChromium()]);
    watched = new WatchedBrowser(chromium);
    tls = await startTlsProxy(port, Number(network.env['PORT']));
    stranger = await startApplication(network, 'Stranger');
    await createAccount(network, 'ana');
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await stranger?.stop();
    await tls?.stop();
    await network?.stop();
  });

  const account = () => `${network.baseUrl}/api/auth/account`;

  async function signedIn(): Promise<Page> {
    const page = await watched.newPage();
    await page.goto(account());
    await signIn(page, 'ana');
    await page.getByText('@ana').waitFor();
    return page;
  }

  it('cookies are sent to this host over https only, and are hidden from scripts and other sites', async () => {
    const page = await watched.newPage();
    const request = {
      client_id: stranger.clientId,
      redirect_uri: stranger.redirectUri,
      response_type: 'code',
      scope: 'openid read',
      prompt: 'consent',
      state: 'a state',
      nonce: 'a nonce',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    };
    await page.goto(`${network.baseUrl}/api/auth/oauth2/authorize?${new URLSearchParams(request)}`);
    await signIn(page, 'ana');
    await page.getByText('@ana').waitFor();
    const cookies = await page.context().cookies();
    const names = cookies.map(({ name }) => name).filter((name) => !name.endsWith('.sig'));
    expect(names).toEqual(expect.arrayContaining(['__Host-plaza_session', '__Secure-plaza_interaction']));
    for (const { name, httpOnly, secure, sameSite, domain, path } of cookies) {
      expect({ name, httpOnly, secure, domain }).toEqual({
        name,
        httpOnly: true,
        secure: true,
        domain: 'localhost',
      });
      expect(['Lax', 'Strict']).toContain(sameSite);
      expect(name).toMatch(path === '/' ? /^__Host-/ : /^__Secure-/);
    }
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await allow(page);
    await page.waitForURL((url) => url.href.startsWith(stranger.redirectUri));
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('a page of another site cannot frame a page of the network', async () => {
    const page = await signedIn();
    const address = stranger.serve('/frame', `<!doctype html><iframe src="${account()}"></iframe>`);
    await page.goto(address);
    const framed = page.frames().at(-1);
    await framed?.waitForLoadState();
    expect(framed).not.toBe(page.mainFrame());
    expect(await framed?.content()).not.toContain('@ana');
    expect(watched.takeFaults().join()).toContain('frame-ancestors');
  });

  it('a page of another site cannot send a form as the person', async () => {
    const page = await signedIn();
    const action = await page
      .locator('form')
      .filter({ hasText: 'Sign out everywhere' })
      .evaluate((form: HTMLFormElement) => form.action);
    const html = `<!doctype html><form method="post" action="${action}"><button>Win a prize</button></form>`;
    await page.goto(stranger.serve('/form', html));
    const [answer] = await Promise.all([
      page.waitForResponse(action),
      page.getByRole('button', { name: 'Win a prize' }).click(),
    ]);
    expect(answer.status()).toBe(403);
    expect(await answer.text()).toContain('origin_mismatch');
    await page.goto(account());
    await page.getByText('@ana').waitFor();
  });

  it('a page of another site cannot read an answer', async () => {
    const page = await signedIn();
    await page.goto(stranger.serve('/read', '<!doctype html>'));
    const read = page.evaluate(async (url) => {
      const answer = await fetch(url, { credentials: 'include' });
      return answer.text();
    }, account());
    await expect(read).rejects.toThrow('Failed to fetch');
  });
});
