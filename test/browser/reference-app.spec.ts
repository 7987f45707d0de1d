/** @slow */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startReferenceApp } from '../examples/support/reference-app.js';
import type { ReferenceApp } from '../examples/support/reference-app.js';
import { operatorOf, password, registerApplication } from '../support/api.js';
import { consented } from '../support/people.js';
import { follow as followActor, like as likePost, post as postAs } from '../support/social.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { CHECKS_MS, until } from '../support/until.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults } from './support/console.js';
import { allow, signIn } from './support/flow.js';
import { enter, expectRefused, Fountain, like, newAccount, post, sendLike } from './support/fountain.js';
import type { Someone } from './support/fountain.js';
import { Keyboard } from './support/keyboard.js';
import { expectLegible } from './support/legibility.js';
import { takePicture } from './support/picture.js';
import { WatchedBrowser } from './support/watched-browser.js';

const pictures = fileURLToPath(new URL('../../artifacts/pictures', import.meta.url));
const MAX_PICTURE_BYTES = 200_000;

describeInBrowser('the reference application, in a real browser,', () => {
  let network: TestNetwork;
  let app: ReferenceApp;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let fountain: Fountain;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([startNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    app = await startReferenceApp(network);
    fountain = new Fountain(network, app, watched);
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium?.close();
    await app?.stop();
    await network?.stop();
  });

  /** Without a reload, which would end what waits in the page of `to`. Says how long it took. */
  async function expectShownToOther(from: Someone, to: Someone, text: string): Promise<void> {
    const shown = to.page.evaluate(
      (expected) =>
        new Promise<number>((resolve) => {
          const look = () => document.body.textContent.includes(expected) && resolve(Date.now());
          new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
        }),
      text,
    );
    const acknowledged = from.page
      .waitForResponse((response) => response.request().method() === 'POST')
      .then(() => Date.now());
    await fountain.say(from, text);
    const took = (await shown) - (await acknowledged);
    process.stdout.write(`a post is on the other's screen ${took} ms after its acknowledgment\n`);
  }

  it.each([
    ['on a wide screen', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 760 }],
  ])('leads through the whole journey with the keyboard alone, %s', async (_where, viewport) => {
    const ben = await fountain.someone('Ben');
    await fountain.say(ben, 'From Ben');
    const { handle } = await newAccount(network, 'Cleo');
    // Colours fade when the scheme changes.
    const page = await watched.newPage({ viewport, reducedMotion: 'reduce' });
    const keys = new Keyboard(page, app.origin);
    const look = async (heading: string) => {
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const faults = await accessibilityFaults(page, { ofColour: colorScheme === 'dark' });
        expect({ heading, colorScheme, faults }).toEqual({ heading, colorScheme, faults: [] });
      }
    };
    await page.goto(app.origin);
    await look('Talk in the open.');
    await keys.press('Sign in or join');
    await keys.type('Handle', handle);
    await keys.type('Password', password);
    await keys.press('Sign in');
    await keys.press('Allow');
    await look('Home');
    await keys.type('What is happening?', 'By keyboard');
    await keys.press('Post');
    await post(page, 'By keyboard').waitFor();
    await keys.press('Edit or delete');
    await look('Edit');
    await keys.type('Text', 'Edited by keyboard');
    await keys.press('Save');
    await look('Conversation');
    await keys.type('Your reply', 'Answered by keyboard');
    await keys.press('Reply');
    await post(page, 'Answered by keyboard').waitFor();

    await keys.press('Find');
    await look('Find people');
    await keys.type('Handle', ben.handle);
    await page.keyboard.press('Enter');
    await look('Ben');
    await keys.activate('Follow Ben');
    await page.getByRole('button', { name: 'Following Ben' }).waitFor();
    // The focus stays on the button that has changed.
    expect(await keys.focused()).toBe('Following Ben');
    await keys.activate('Like');
    await until(async () => (await like(page, 'From Ben').getAttribute('aria-pressed')) === 'true');
    await keys.press('Report or block');
    await look('Report or block');
    await keys.reach('spam');
    await page.keyboard.press('Space');
    await keys.press('Send the report');
    await look('Thank you');

    await ben.page.goto(`${app.origin}/@${handle}`);
    await ben.page.getByRole('button', { name: 'Follow Cleo' }).click();
    await page.locator('.badge', { hasText: '1' }).waitFor();
    await keys.press(/^Inbox/);
    await look('Inbox');
    await keys.press('Mark all as read');
    await until(async () => (await page.locator('.entries .new').count()) === 0);
    await keys.press('Settings');
    await look('Settings');
    await keys.type('About you', 'Keys only');
    await keys.press('Save');
    await look('Cleo');
    await page.getByText('Keys only').waitFor();
    await keys.press(/following$/);
    await look('Following');
    await keys.press(/^B\s*Ben/);
    await keys.press('Report or block');
    await keys.press('Block');
    await look('Home');
    await keys.press('Settings');
    await keys.press(/^Unblock/);
    await page.getByText('Nobody.').waitFor();
    await keys.press('Home');
    await keys.press('Edit or delete');
    await keys.press('Delete it');
    await look('Home');
    await keys.press('Settings');
    await keys.press('Sign out');
    await page.getByText('You are signed out here').waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });

  it('shows two browsers the posts, edits, removals and inbox entries of each other, without a reload', async () => {
    const [ana, ben] = [await fountain.someone('Ana'), await fountain.someone('Ben')];
    await fountain.follow(ana, ben);
    await fountain.follow(ben, ana);
    for (const { page } of [ana, ben]) await page.goto(app.origin);
    await expectShownToOther(ben, ana, 'Is anybody there?');
    await expectShownToOther(ana, ben, 'I am');
    await post(ben.page, 'Is anybody there?').getByRole('link', { name: 'Edit' }).click();
    await ben.page.getByLabel('Text').fill('Nobody?');
    await ben.page.getByRole('button', { name: 'Save' }).click();
    await post(ana.page, 'Nobody?').waitFor();
    await ben.page.getByLabel('Your reply').fill('Hm');
    await ben.page.locator('main').getByRole('button', { name: 'Reply' }).click();
    await post(ana.page, 'Hm').waitFor();
    await post(ana.page, 'Nobody?').getByRole('link', { name: 'Reply' }).click();
    await ana.page.getByLabel('Your reply').fill('Here');
    await ana.page.locator('main').getByRole('button', { name: 'Reply' }).click();
    // Ben sees the reply below his post, and its entry in his inbox.
    await post(ben.page, 'Here').waitFor();
    await ben.page.locator('.badge', { hasText: '2' }).waitFor();
    await ana.page.goto(app.origin);
    await ben.page.goto(`${ben.page.url()}/edit`);
    await ben.page.getByRole('button', { name: 'Delete it' }).click();
    await until(async () => (await post(ana.page, 'Nobody?').count()) === 0);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('moves nothing under somebody who reads further down, who asks for what is new', async () => {
    const [ana, ben] = [
      await fountain.someone('Ana', { viewport: { width: 390, height: 400 } }),
      await fountain.someone('Ben'),
    ];
    await fountain.follow(ana, ben);
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) await fountain.say(ben, text);
    await ana.page.goto(app.origin);
    const pill = ana.page.getByRole('link', { name: 'Show what is new' });
    await post(ana.page, 'One').scrollIntoViewIfNeeded();
    expect(await pill.isVisible()).toBe(false);
    const before = await ana.page.evaluate(() => scrollY);
    expect(before).toBeGreaterThan(300);
    await fountain.say(ben, 'Six');
    await pill.waitFor();
    expect([await ana.page.evaluate(() => scrollY), await post(ana.page, 'Six').count()]).toEqual([
      before,
      0,
    ]);
    await pill.click();
    await post(ana.page, 'Six').waitFor();
    expect(await ana.page.evaluate(() => scrollY)).toBe(0);
    expect(await pill.isVisible()).toBe(false);

    const reply = post(ana.page, 'One').getByRole('link', { name: 'Reply' });
    await reply.scrollIntoViewIfNeeded();
    await reply.focus();
    const place = async () => [
      Math.round((await reply.boundingBox())?.y ?? 0),
      await reply.evaluate((element) => element === document.activeElement),
    ];
    const [y] = await place();
    await post(ben.page, 'Five').getByRole('link', { name: 'Edit' }).click();
    await ben.page.getByRole('button', { name: 'Delete it' }).click();
    await until(async () => (await post(ana.page, 'Five').count()) === 0);
    expect(await place()).toEqual([y, true]);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('removes everything of somebody who blocks from the open page of the other', async () => {
    const [ana, ben] = [await fountain.someone('Ana'), await fountain.someone('Ben')];
    await fountain.say(ben, 'Soon invisible');
    await fountain.follow(ana, ben);
    await ana.page.goto(app.origin);
    await post(ana.page, 'Soon invisible').waitFor();
    await ben.page.goto(`${app.origin}/@${ana.handle}`);
    await ben.page.locator('.profile').getByRole('link', { name: 'Report or block' }).click();
    await ben.page.getByRole('button', { name: 'Block' }).click();
    await until(async () => (await post(ana.page, 'Soon invisible').count()) === 0);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('is legible and accessible on a phone and a wide screen, in light and dark', async () => {
    const visitor = await watched.newPage();
    await visitor.goto(app.origin);
    await expectLegible(visitor, 'app-welcome');
    const [ana, ben] = [await fountain.someone('Ana Lovelace'), await fountain.someone('Benjamin Babbage')];
    await expectLegible(ana.page, 'app-home-empty');
    await fountain.say(
      ben,
      'The engine is built. It weighs fifteen tons, and nobody knows where to put it.\n\nIdeas? https://engine.example/plans',
    );
    await fountain.follow(ana, ben);
    await fountain.follow(ben, ana);
    await fountain.say(ana, `In the library, of course. @${ben.handle} has the keys.`);
    await fountain.say(ben, 'The floor of the library is of wood.');
    await ana.page.goto(app.origin);
    await sendLike(ana.page, 'fifteen tons');
    await post(ana.page, 'fifteen tons').getByRole('link', { name: 'Reply' }).click();
    await ana.page.getByLabel('Your reply').fill('Wood can be strengthened. I have drawn it.');
    await ana.page.locator('main').getByRole('button', { name: 'Reply' }).click();
    await post(ana.page, 'strengthened').waitFor();
    const own = (await ana.page.getByRole('link', { name: 'Profile' }).getAttribute('href')) ?? '';
    const thread = new URL(ana.page.url()).pathname;
    const author = (await ana.page.locator('.lead a.name').getAttribute('href'))?.split('/').at(-1);
    const pages = [
      ['home', ana, '/'],
      ['thread', ana, thread],
      ['profile', ana, `/@${ben.handle}`],
      ['own-profile', ana, own],
      ['followers', ana, `${own}/followers`],
      ['inbox', ben, '/inbox'],
      ['settings', ana, '/settings'],
      ['find', ana, '/find?handle=nobody_here'],
      ['report', ana, `/people/${author}/report?post=${thread.split('/').at(-1)}`],
      ['gone', ana, '/nothing'],
    ] as const;
    for (const [name, { page }, path] of pages) {
      await page.goto(app.origin + path);
      // The journeys with the keyboard look at the other pages.
      // Colours fade when the scheme changes.
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 390, height: 800 });
      expect({ name, faults: await accessibilityFaults(page) }).toEqual({ name, faults: [] });
      await expectLegible(page, `app-${name}`);
    }
    expect(watched.takeFaults()).toEqual([]);
  });

  it('says on an open page that the network is away, and goes on when it is back', async () => {
    const [ana, ben] = [await fountain.someone('Ana'), await fountain.someone('Ben')];
    await fountain.follow(ana, ben);
    await ana.page.goto(app.origin);
    await ana.page.getByLabel('What is happening?').fill('A draft in the middle');
    await network.killAll('SIGKILL');
    await ana.page.getByText('The network does not answer').waitFor();
    await network.restart();
    await ana.page.locator('.state').waitFor({ state: 'hidden', timeout: CHECKS_MS });
    await fountain.say(ben, 'Back again');
    await post(ana.page, 'Back again').waitFor();
    expect(await ana.page.getByLabel('What is happening?').inputValue()).toBe('A draft in the middle');
    // A page that is open while the network is away may read itself in vain.
    expectRefused(watched, 503);
  });

  it('ends an open page with its incarnation, and shows nothing that left after the next sign-in', async () => {
    const [ana, ben] = [await fountain.someone('Ana'), await fountain.someone('Ben')];
    await fountain.follow(ana, ben);
    await fountain.say(ben, 'Here for a while');
    await ana.page.goto(app.origin);
    await ana.page.getByLabel('What is happening?').fill('A draft in the middle');
    const id = (await post(ana.page, 'Here for a while').getAttribute('id'))?.replace('post-', '') ?? '';
    const operator = operatorOf(network);
    await operator.post('posts/:id/restrict', { id, reason: 'a test' });
    await until(async () => (await post(ana.page, 'Here for a while').count()) === 0);
    const job = await operator.post('projections/rebuild', { names: [], reason: 'a test' });
    await until(
      async () => (await operator.get('jobs/:id', { id: job.id })).state === 'published',
      CHECKS_MS,
    );
    await ana.page.getByText('The network was rebuilt').waitFor();
    await ana.page.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(ana.page, ana.handle);
    await allow(ana.page);
    expect(await ana.page.getByLabel('What is happening?').inputValue()).toBe('A draft in the middle');
    expect(await post(ana.page, 'Here for a while').count()).toBe(0);
    // A page that is open while the network is away may read itself in vain.
    expectRefused(watched, 503);
  });

  it('has the draft of a person for nobody else in the same tab', async () => {
    const { page, handle } = await fountain.someone('Ana');
    const draft = page.getByLabel('What is happening?');
    await draft.fill('For later');
    for (const [next, text] of [
      [(await newAccount(network, 'Ben')).handle, ''],
      [handle, 'For later'],
    ] as const) {
      await page.context().clearCookies();
      await enter(page, app, next);
      expect(await draft.inputValue()).toBe(text);
    }
    expect(watched.takeFaults()).toEqual([]);
  });

  it('has pictures for its README', async () => {
    mkdirSync(pictures, { recursive: true });
    const application = await registerApplication(network);
    const people = await Promise.all(
      [
        ['ada', 'Ada Lovelace'],
        ['grace', 'Grace Hopper'],
        ['mary', 'Mary Somerville'],
        ['charles', 'Charles Babbage'],
      ].map(async ([handle = '', displayName = '']) => {
        const account = { handle, displayName, email: `${handle}@example.org`, password };
        const { actorId } = await operatorOf(network).post('accounts', account);
        return consented(network, application, actorId, 'openid read post:create relation:write');
      }),
    );
    const [ada, grace, mary, charles] = people;
    for (const other of [grace!, mary!, charles!]) {
      await followActor(ada!, other);
      await followActor(other, ada!);
    }
    const texts = [
      [charles!, 'The engine is built. It weighs fifteen tons, and nobody knows where to put it.'],
      [grace!, 'Found the fault in the relay this morning. It had wings. https://museum.example/moth'],
      [mary!, 'A clear night at last. Four of the moons, and a fifth light that I cannot name yet.'],
      [
        ada!,
        'It weaves algebraic patterns just as the loom weaves flowers and leaves. More on that tomorrow, @mary.',
      ],
    ] as const;
    const ids: string[] = [];
    for (const [author, text] of texts) ids.push(await postAs(author, text));
    await postAs(grace!, 'In the library, of course.', { parentId: ids[0] });
    await likePost(mary!, ids[3]!);
    for (const [name, options] of [
      ['wide', { viewport: { width: 1200, height: 760 }, colorScheme: 'light' }],
      ['phone', { viewport: { width: 390, height: 760 }, colorScheme: 'dark' }],
    ] as const) {
      const page = await watched.newPage(options);
      await enter(page, app, 'ada');
      if (name === 'wide') await sendLike(page, 'wings');
      await page.goto(app.origin);
      await page.locator('[aria-pressed=true]').waitFor();
      await page.locator('.badge', { hasText: /\d/ }).waitFor();
      const path = join(pictures, `reference-app-${name}.png`);
      await takePicture(page, { path });
      expect([name, statSync(path).size < MAX_PICTURE_BYTES]).toEqual([name, true]);
    }
  });
});
