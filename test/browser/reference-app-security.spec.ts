/** @slow */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../src/launch/free-port.js';
import { startFaultyProxy } from '../examples/support/faulty-proxy.js';
import type { FaultyProxy } from '../examples/support/faulty-proxy.js';
import { eventsOfGrant, expireAccessTokens, intentsOfPosts } from '../examples/support/grant.js';
import { startReferenceApp } from '../examples/support/reference-app.js';
import type { ReferenceApp } from '../examples/support/reference-app.js';
import { operatorOf } from '../support/api.js';
import { makeCertificate } from '../support/certificate.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';
import { startApplication } from './support/application.js';
import type { LocalApplication } from './support/application.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { allow, signIn } from './support/flow.js';
import { enter, expectRefused, Fountain, like, newAccount, post, sendLike } from './support/fountain.js';
import { startTlsProxy } from './support/tls.js';
import { WatchedBrowser } from './support/watched-browser.js';

const TOKEN = '/api/auth/oauth2/token';

describeInBrowser('the reference application, in a real browser,', () => {
  /** Between the application and the network, and between browsers and the application. */
  let proxy: FaultyProxy;
  let front: FaultyProxy;
  let network: TestNetwork;
  let app: ReferenceApp;
  let hostile: LocalApplication;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let fountain: Fountain;

  beforeAll(async () => {
    const [port, appPort] = [await freePort(), await freePort()];
    [proxy, front] = [await startFaultyProxy(port), await startFaultyProxy(appPort)];
    const settings = { PORT: String(port), BASE_URL: `http://localhost:${proxy.port}` };
    [network, chromium] = await Promise.all([startNetwork(settings), startChromium()]);
    watched = new WatchedBrowser(chromium);
    app = await startReferenceApp(network, { port: appPort, origin: `http://localhost:${front.port}` });
    fountain = new Fountain(network, app, watched);
    hostile = await startApplication(network);
  });

  afterEach(async () => {
    await watched.close();
    // A case that refuses something on purpose has looked at them itself.
    watched.takeFaults();
  });

  afterAll(async () => {
    await chromium?.close();
    await hostile?.stop();
    await app?.stop();
    await network?.stop();
    await front?.close();
    await proxy?.close();
  });

  /** Tokens that a browser has, or was ever sent. */
  async function expectNoTokenIn(...pages: Page[]): Promise<void> {
    const had = [front.answers(), proxy.answers()];
    for (const page of pages) {
      had.push(JSON.stringify(await page.context().storageState({ indexedDB: true })));
      had.push(
        await page.evaluate(() =>
          JSON.stringify([Object.entries(sessionStorage), document.documentElement.outerHTML]),
        ),
      );
    }
    const tokens = proxy.tokens();
    expect(tokens.length).toBeGreaterThan(3);
    expect(tokens.filter((token) => had.some((text) => text.includes(token)))).toEqual([]);
  }

  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'leads through the whole journey, %s, and no token comes to a browser',
    async (_how, javaScriptEnabled) => {
      const ana = {
        ...(await newAccount(network, 'Ana')),
        page: await watched.newPage({ javaScriptEnabled }),
      };
      await enter(ana.page, app, ana.handle);
      const ben = await fountain.someone('Ben', { javaScriptEnabled });
      await fountain.say(ana, 'Good morning');
      await fountain.follow(ben, ana);
      await ben.page.goto(app.origin);
      await sendLike(ben.page, 'Good morning');
      const isLiked = async () =>
        (await like(ben.page, 'Good morning').getAttribute('aria-pressed')) === 'true';
      // Without scripts, the answer leads to the page anew.
      await until(isLiked);
      await ben.page.reload();
      expect(await isLiked()).toBe(true);
      await post(ben.page, 'Good morning').getByRole('link', { name: 'Reply' }).click();
      await ben.page.getByLabel('Your reply').fill('And to you, @' + ana.handle);
      await ben.page.locator('main').getByRole('button', { name: 'Reply' }).click();
      await post(ben.page, 'And to you').waitFor();

      await ana.page.goto(`${app.origin}/inbox`);
      for (const said of ['follows you', 'likes your post', 'replied to you'])
        await ana.page.getByText(said).waitFor();
      await ana.page.getByRole('button', { name: 'Mark all as read' }).click();
      await until(async () => (await ana.page.locator('.entries .new').count()) === 0);

      await expireAccessTokens(network, ana.actorId);
      await ana.page.goto(app.origin);
      await post(ana.page, 'Good morning').getByRole('link', { name: 'Edit' }).click();
      await ana.page.getByLabel('Text').fill('Good evening');
      await ana.page.getByRole('button', { name: 'Save' }).click();
      await ana.page.getByText('edited').waitFor();
      await ana.page.locator('.lead').getByRole('link', { name: 'Edit' }).click();
      await ana.page.getByRole('button', { name: 'Delete it' }).click();
      await ana.page.getByRole('heading', { name: 'Home' }).waitFor();
      expect(await post(ana.page, 'Good evening').count()).toBe(0);

      await ana.page.goto(`${app.origin}/settings`);
      await ana.page.getByLabel('About you').fill('Keeper of lamps');
      await ana.page.getByRole('button', { name: 'Save' }).click();
      await ana.page.getByText('Keeper of lamps').waitFor();
      await ana.page.getByRole('link', { name: '1 follower' }).click();
      await ana.page.locator('.people').getByRole('link', { name: 'Ben' }).click();
      await ana.page.locator('.profile').getByRole('link', { name: 'Report or block' }).click();
      await ana.page.getByLabel('spam').check();
      await ana.page.getByRole('button', { name: 'Send the report' }).click();
      await ana.page.getByText('Your report has arrived').waitFor();
      await ana.page.goto(`${app.origin}/@${ben.handle}`);
      await ana.page.locator('.profile').getByRole('link', { name: 'Report or block' }).click();
      await ana.page.getByRole('button', { name: 'Block' }).click();
      await ana.page.getByRole('heading', { name: 'Home' }).waitFor();
      const hidden = await ana.page.goto(`${app.origin}/@${ben.handle}`);
      expect(hidden?.status()).toBe(404);
      await ana.page.goto(`${app.origin}/settings`);
      await ana.page.getByRole('button', { name: /Unblock/ }).click();
      await ana.page.getByText('Nobody.').waitFor();
      await ana.page.getByRole('button', { name: 'Sign out' }).click();
      await ana.page.getByText('You are signed out here').waitFor();
      const cookies = await ben.page.context().cookies(app.origin);
      const own = cookies.filter(({ name }) => name.startsWith('fountain_'));
      expect(own.map(({ value, httpOnly }) => [value.length, httpOnly])).toEqual([
        [43, true],
        [43, true],
      ]);
      await expectNoTokenIn(ana.page, ben.page);
      expect(watched.takeFaults()).toEqual([]);
    },
  );

  it('executes nothing of what people type', async () => {
    const ana = await fountain.someone('<b>Ana</b>');
    const hostile = `<script>document.title='x'</script><img src=x onerror="document.title='x'"> javascript:alert(1)`;
    await fountain.say(ana, hostile);
    await ana.page.goto(`${app.origin}/settings`);
    await ana.page.getByLabel('Website').fill('https://a.example/"onmouseover="document.title=1');
    await ana.page.getByRole('button', { name: 'Save' }).click();
    await ana.page.getByText('a.example').waitFor();
    expect(await ana.page.title()).toBe('<b>Ana</b> · Fountain');
    expect(await ana.page.locator('main script, main img, main [onmouseover]').count()).toBe(0);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('gives a new session to who signs in, and the one that was planted in the browser opens nothing', async () => {
    const eve = await fountain.someone('Eve');
    const planted = (await eve.page.context().cookies(app.origin)).filter(({ name }) =>
      name.startsWith('fountain_'),
    );
    const { handle } = await newAccount(network, 'Ana');
    const page = await watched.newPage();
    await page.context().addCookies(planted);
    await page.goto(`${app.origin}/settings`);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${app.origin}/callback`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, handle);
    await allow(page);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.locator('.side').getByText(`@${handle}`).waitFor();
    const cookies = await page.context().cookies(app.origin);
    const session = cookies.find(({ name }) => name === 'fountain_session');
    expect(session?.value).toMatch(/^[\w-]{43}$/);
    expect(planted.map(({ value }) => value)).not.toContain(session?.value);
    expect((await eve.page.goto(`${app.origin}/inbox`))?.status()).toBe(401);
    await eve.page.getByText('You are not signed in').waitFor();
  });

  it('ends a sign-in on a page of its own, whatever address it is to return to', async () => {
    const { handle } = await newAccount(network, 'Ana');
    const page = await watched.newPage();
    const visited = new Set<string>();
    page.on('request', (request) => visited.add(new URL(request.url()).origin));
    const away = new URL(hostile.redirectUri).host;
    const typed = ['', '/', '%2f', '%5c', '\\', '/x/..//'].map((more) => `/${more}${away}/`);
    const sent = [
      `https://${away}/`,
      `//${away}`,
      `/\\${away}`,
      `\t//${away}`,
      `${app.origin}@${away}/`,
      'javascript:alert(1)',
    ];
    let isStranger = true;
    for (const address of [...typed, ...sent]) {
      await page.context().clearCookies({ name: 'fountain_session' });
      if (sent.includes(address)) {
        await page.goto(`${app.origin}/inbox`);
        const field = page.locator('input[name=returnTo]');
        await field.evaluate((input: HTMLInputElement, value) => (input.value = value), address);
      } else await page.goto(app.origin + address);
      const again = page.getByRole('button', { name: 'Sign in' });
      if ((await again.count()) > 0) {
        await again.click();
        if (isStranger) await signIn(page, handle);
        isStranger = false;
        await allow(page);
      }
      await page.waitForURL((url) => url.origin === app.origin && url.pathname !== '/callback');
      expect(new URL(page.url()).origin).toBe(app.origin);
    }
    expect([...visited].toSorted()).toEqual([app.origin, network.baseUrl].toSorted());
  });

  it('posts nothing for the form of another site or port, and says so', async () => {
    const ana = await fountain.someone('Ana');
    const form = `<!doctype html><form method="post" action="${app.origin}/posts"><input name="intentId" value="${randomUUID()}">
<input name="text" value="Not mine"><button>Win a prize</button></form>`;
    const page = await ana.page.context().newPage();
    const cookies = await page.context().cookies(app.origin);
    const { port } = new URL(hostile.serve('/prize', form));
    hostile.serve('/no-referrer', `<meta name="referrer" content="no-referrer">${form}`);
    for (const address of [
      `http://plaza.test:${port}/prize`,
      `http://localhost:${port}/prize`,
      `http://localhost:${port}/no-referrer`,
    ]) {
      await page.goto(address);
      const answered = page.waitForResponse(`${app.origin}/posts`);
      await page.getByRole('button', { name: 'Win a prize' }).click();
      expect((await answered).status()).toBe(403);
      await page.getByRole('heading', { name: 'This form came from another site' }).waitFor();
      await page.getByText('Nothing was done').waitFor();
      // Without a page, as a script would.
      await page.goto(address);
      await page.evaluate(
        ([url = '', fields = '']) =>
          fetch(url, {
            method: 'POST',
            mode: 'no-cors',
            credentials: 'include',
            body: new URLSearchParams(fields),
          }),
        [`${app.origin}/posts`, `intentId=${randomUUID()}&text=Not+mine`],
      );
    }
    expect(await intentsOfPosts(network, ana.actorId)).toEqual([]);
    // Texts that wait belong to the cookie of the browser.
    expect(await page.context().cookies(app.origin)).toEqual(cookies);
    await ana.page.reload();
    await ana.page.getByText('It is quiet here').waitFor();
    expect(await ana.page.getByText('Not mine').count()).toBe(0);
    expectRefused(watched, 403);
  });

  it('posts a text once whose answer from the network was lost', async () => {
    const { page, actorId } = await fountain.someone('Ana');
    const draft = page.getByLabel('What is happening?');
    await draft.fill('Once and for all');
    const intentId = await page.locator('#compose input[name=intentId]').inputValue();
    // The application sends it twice.
    proxy.loseAnswer('/api/posts', 2);
    await page.locator('main').getByRole('button', { name: 'Post' }).click();
    await page.getByRole('heading', { name: 'The network does not answer' }).waitFor();
    expect(await page.locator('.kept').textContent()).toBe('Once and for all');
    expect(await intentsOfPosts(network, actorId)).toEqual([intentId]);
    // The application asks the network what became of it.
    await page.goBack();
    expect(await post(page, 'Once and for all').count()).toBe(1);
    expect(await draft.inputValue()).toBe('');
    expect(await page.getByText('Not confirmed yet').count()).toBe(0);
    expect(await intentsOfPosts(network, actorId)).toEqual([intentId]);
    expectRefused(watched, 503);
  });

  it('gives a draft back with its intent after an answer that never reached the browser', async () => {
    const { page, actorId } = await fountain.someone('Ana');
    const draft = page.getByLabel('What is happening?');
    const send = page.locator('main').getByRole('button', { name: 'Post' });
    const sendWithoutAnswer = async (text: string) => {
      await draft.fill(text);
      await send.click();
      await page.waitForURL((url) => url.protocol === 'chrome-error:');
    };
    await page.route('**/posts', async (route) => {
      await route.fetch({ maxRedirects: 0 });
      await route.abort();
    });
    await sendWithoutAnswer('Sent and not sent');
    await page.unroute('**/posts');
    await page.goBack();
    expect(await draft.inputValue()).toBe('Sent and not sent');
    await send.click();
    await post(page, 'Sent and not sent').waitFor();
    expect(await draft.inputValue()).toBe('');

    await page.context().setOffline(true);
    await sendWithoutAnswer('Not sent at all');
    await page.context().setOffline(false);
    await page.goto(app.origin);
    expect(await draft.inputValue()).toBe('Not sent at all');
    await send.click();
    await post(page, 'Not sent at all').waitFor();
    // The way back from an answer is to an empty form.
    await page.goto(`${app.origin}/settings`);
    await page.goBack();
    expect(await draft.inputValue()).toBe('');
    expect(new Set(await intentsOfPosts(network, actorId)).size).toBe(2);
    expect(await intentsOfPosts(network, actorId)).toHaveLength(2);
    watched.takeFaults();
  });

  it('keeps a reply over a lost session, and one that was changed after its first try', async () => {
    const ana = await fountain.someone('Ana');
    const { page, actorId } = ana;
    await fountain.say(ana, 'Tell me');
    await post(page, 'Tell me').getByRole('link', { name: 'Reply' }).click();
    const draft = page.getByLabel('Your reply');
    const send = page.locator('main').getByRole('button', { name: 'Reply' });
    await draft.fill('First try');
    await page.context().clearCookies({ name: 'fountain_session' });
    await send.click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, ana.handle);
    await allow(page);
    expect(await draft.inputValue()).toBe('First try');

    proxy.refuse('/api/posts', 1);
    await send.click();
    await page.getByRole('heading', { name: 'Posting is paused' }).waitFor();
    await page.goBack();
    expect(await draft.inputValue()).toBe('First try');
    await draft.fill('Second thought');
    await page.goto(app.origin);
    await page.getByRole('button', { name: 'Send it' }).click();
    await post(page, 'First try').waitFor();
    expect(await draft.inputValue()).toBe('Second thought');
    await send.click();
    await post(page, 'Second thought').waitFor();
    expect(await draft.inputValue()).toBe('');

    await draft.fill('x'.repeat(2_001));
    await send.click();
    await page.getByRole('heading', { name: 'This text cannot be posted' }).waitFor();
    await page.getByLabel('Text').fill('Short enough');
    await page.getByRole('button', { name: 'Send it' }).click();
    await post(page, 'Short enough').waitFor();
    expect(await draft.inputValue()).toBe('');
    expect(new Set(await intentsOfPosts(network, actorId)).size).toBe(4);
    expect(await intentsOfPosts(network, actorId)).toHaveLength(4);
    watched.takeFaults();
  });

  it('keeps the page of a like that was refused, to try again', async () => {
    const ana = await fountain.someone('Ana');
    const { page } = ana;
    await fountain.say(ana, 'Worth it');
    const id = (await post(page, 'Worth it').getAttribute('id'))?.replace('post-', '');
    proxy.refuse(`/api/relations/like/${id}`, 1, { code: 'domain_storage_unavailable', status: 503 });
    await sendLike(page, 'Worth it');
    await page.getByText('The network could not confirm that').waitFor();
    expect(await page.getByRole('heading', { name: 'Home' }).count()).toBe(1);
    await sendLike(page, 'Worth it');
    await page.locator('.heart[aria-pressed=true]').waitFor();
    expect(await page.locator('.state').isVisible()).toBe(false);
    expectRefused(watched, 503);
  });

  it('refreshes once for fifty parallel requests of open pages of two processes', async () => {
    const ana = await fountain.someone('Ana');
    const second = await startReferenceApp(network, { first: app });
    try {
      const cookies = await ana.page.context().cookies(app.origin);
      const pages: Page[] = [];
      // A browser opens six connections to a host, and one of them has the news.
      for (let n = 0; n < 5; n++) {
        const page = await watched.newPage();
        await page.context().addCookies(cookies);
        pages.push(page, await page.context().newPage());
      }
      await Promise.all(pages.map((page, n) => page.goto(n % 2 ? app.origin : second.address)));
      await expireAccessTokens(network, ana.actorId);
      const refreshes = proxy.count(TOKEN);
      const statuses = await Promise.all(
        pages.map((page) =>
          page.evaluate(() =>
            Promise.all(Array.from({ length: 5 }, async () => (await fetch('/inbox')).status)),
          ),
        ),
      );
      expect(statuses.flat()).toEqual(Array(50).fill(200));
      expect(proxy.count(TOKEN)).toBe(refreshes + 1);
      const events = await eventsOfGrant(network, app.clientId, ana.actorId);
      expect(events.filter((type) => type === 'grant.refreshed')).toHaveLength(1);
      expect(events).not.toContain('grant.reuse_detected');
      expect(second.errorOutput()).toBe('');
      expect(watched.takeFaults()).toEqual([]);
    } finally {
      await watched.close();
      await second.stop();
    }
  });

  it.each([
    ['its secret is an old one', 'rotate-secret'],
    ['it is suspended', 'suspend'],
  ] as const)(
    'says that it is not admitted while %s, keeps the sessions, and goes on after that',
    async (_why, act) => {
      const own = await startReferenceApp(network);
      const page = await watched.newPage();
      const { actorId, handle } = await newAccount(network, 'Ana');
      const operator = operatorOf(network);
      const about = { id: own.clientId, reason: 'a test' };
      let renewed: ReferenceApp | undefined;
      try {
        await enter(page, own, handle);
        const changed = await (act === 'suspend'
          ? operator.post('applications/:id/suspend', about)
          : operator.post('applications/:id/rotate-secret', { ...about, overlapMs: 0 }));
        await expireAccessTokens(network, actorId);
        const refreshes = proxy.count(TOKEN);
        for (const path of ['/inbox', '/']) {
          const answer = await page.goto(own.origin + path);
          expect(answer?.status()).toBe(503);
          expect(answer?.headers()['retry-after']).toMatch(/^[1-5]$/);
          await page.getByRole('heading', { name: 'This application is not admitted now' }).waitFor();
          await page.getByText('must start it with the newest secret').waitFor();
        }
        expect(proxy.count(TOKEN)).toBe(refreshes + 1);
        if ('clientSecret' in changed) {
          const env = { ...own.env, CLIENT_SECRET: changed.clientSecret };
          renewed = await startReferenceApp(network, { first: { ...own, env } });
        } else await operator.post('applications/:id/reinstate', about);
        const { address } = renewed ?? own;
        await until(async () => (await page.goto(address))?.status() === 200);
        await page.getByRole('heading', { name: 'Home' }).waitFor();
        expect(own.errorOutput()).toBe('');
        expect(await eventsOfGrant(network, own.clientId, actorId)).toEqual([
          'grant.issued',
          'grant.refreshed',
        ]);
        expectRefused(watched, 503);
      } finally {
        await watched.close();
        await renewed?.stop();
        await own.stop();
      }
    },
  );

  it('moves to another network over https, where people sign in anew, with cookies of its host alone', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reference-app-tls-'));
    const { key, cert } = makeCertificate(directory);
    const certificate = { key: readFileSync(key), cert: readFileSync(cert) };
    const [port, secure] = [await freePort(), await freePort()];
    const [appPort, appSecure] = [await freePort(), await freePort()];
    const proxies = [
      await startTlsProxy(secure, port, certificate),
      await startTlsProxy(appSecure, appPort, certificate),
    ];
    const other = await startNetwork({ PORT: String(port), BASE_URL: `https://localhost:${secure}` });
    const origin = `https://localhost:${appSecure}`;
    const more = { NODE_EXTRA_CA_CERTS: cert };
    const sessions = app.env['SESSIONS'];
    const moved = await startReferenceApp(other, { port: appPort, origin, more, sessions });
    try {
      const { page } = await fountain.someone('Dora');
      const before = new Set((await page.context().cookies()).map(({ name }) => name));
      await enter(page, moved, (await newAccount(other, 'Dora')).handle);
      await page.getByLabel('What is happening?').fill('Moved');
      await page.locator('main').getByRole('button', { name: 'Post' }).click();
      await post(page, 'Moved').waitFor();
      const cookies = await page.context().cookies(origin);
      const own = cookies.filter(({ name }) => name.includes('fountain') && !before.has(name));
      expect(new Map(own.map(({ name, secure }) => [name, secure]))).toEqual(
        new Map([
          ['__Host-fountain_browser', true],
          ['__Host-fountain_session', true],
        ]),
      );
      expect(moved.errorOutput()).toBe('');
      expect(watched.takeFaults()).toEqual([]);
    } finally {
      await moved.stop();
      await Promise.all([other.stop(), ...proxies.map((proxy) => proxy.stop())]);
      rmSync(directory, { recursive: true });
    }
  });
});
