import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Dialog, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { personWithPage } from '../support/account-visitor.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { decide, newModerator, report, reportedPost, stateOf } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { someName } from '../support/operators.js';
import { personWithToken } from '../support/people.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, enrollInBrowser } from './support/console.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const scope = 'openid read post:create report:create';

describeInBrowser('cases by keyboard', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let reader: Moderator;
  let url: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    reader = await newModerator(network);
    url = `${readConfig(network.env).operatorBaseUrl}/console/cases`;
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  /** A queue of so many posts of one application, at its address. */
  async function queueOf(count: number) {
    const application = await registerApplication(network);
    const [author, reporter] = [
      await personWithPage(network, application, scope),
      await personWithToken(network, application, scope),
    ];
    const caseIds: string[] = [];
    for (let n = 0; n < count; n++) {
      const postId = await createPost(author, `buy lamp ${String(n)}`);
      await report(reporter, { postId });
      caseIds.push(`post-${postId}`);
    }
    const states = () => Promise.all(caseIds.map((caseId) => stateOf(reader, caseId)));
    await until(async () => (await states()).every((state) => state !== undefined));
    return {
      caseIds,
      states,
      author,
      reporter,
      path: `${url}?application=${application.clientId}&order=urgent`,
    };
  }

  async function moderator(): Promise<Page> {
    const invited = { name: someName('Hedy'), roles: ['moderator'] as const, reason: 'a test' };
    const { link } = await operatorOf(network).post('operators', { ...invited, roles: ['moderator'] });
    const page = await watched.newPage();
    await enrollInBrowser(page, link);
    return page;
  }

  /** The sign that the claimer is at work. */
  const isSign = (request: { url(): string }) => request.url().endsWith('/active');

  /** The page of a case that its operator has claimed. */
  async function claimed() {
    const queue = await queueOf(1);
    const page = await moderator();
    await page.goto(queue.path);
    await page.keyboard.press('c');
    await page.getByText('You have claimed the case.').waitFor();
    return { page, ...queue };
  }

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

  const waiting = (page: Page) => page.locator('#waiting [role=status]').textContent();

  it('are decided in three keystrokes each, fifty in a row', async () => {
    const { path, states } = await queueOf(50);
    const page = await moderator();
    await page.goto(path);
    let keystrokes = 0;
    const press = (key: string) => {
      keystrokes++;
      return page.keyboard.press(key);
    };
    await press('c');
    await page.getByText('You have claimed the case.').waitFor();
    for (let n = 0; n < 50; n++) {
      expect(await focused(page)).toBe('case');
      const address = page.url();
      await press('1');
      await press(n % 2 === 0 ? 'v' : 'd');
      await press('Enter');
      await page.waitForURL(({ href }) => href !== address);
      await page.getByText('The case is decided.').waitFor();
    }
    await page.getByText('Nothing waits under these filters that you may claim.').waitFor();
    expect(keystrokes).toBe(1 + 3 * 50);
    expect(new Set(await states())).toEqual(new Set(['decided']));
    expect(watched.takeFaults()).toEqual([]);
  });

  it('are found, opened and claimed from the rows of the queue', async () => {
    const { path, states } = await queueOf(3);
    const page = await moderator();
    await page.goto(path);
    const row = () => page.evaluate(() => document.activeElement?.textContent);
    const seen: unknown[] = [];
    for (const key of ['j', 'j', 'j', 'j', 'k']) {
      await page.keyboard.press(key);
      seen.push(await row());
    }
    expect(seen).toEqual([seen[0], seen[1], seen[2], seen[2], seen[1]]);
    expect(new Set(seen).size).toBe(3);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Reported post' }).waitFor();
    await page.keyboard.press('c');
    await page.getByText('You have claimed the case.').waitFor();
    expect((await states()).map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'claimed',
      'open',
      'open',
    ]);
  });

  it('wait for five seconds, and can be taken back', async () => {
    const { page, states } = await claimed();
    await page.keyboard.press('v');
    expect(await focused(page)).toBe('decide-reason');
    await page.locator('h1').focus();
    await page.keyboard.press('1');
    await page.keyboard.press('v');
    expect(await waiting(page)).toBe('Violation: spam. Restrict the post. It is sent in 5 seconds.');
    await expectLegible(page, 'console-case-waiting');
    await page.keyboard.press('Escape');
    expect(await waiting(page)).toBe('Taken back. Nothing is sent.');
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForTimeout(6_000);
    expect(await states()).toEqual(['claimed']);

    const asked: string[] = [];
    const stay = (dialog: Dialog) => {
      asked.push(dialog.type());
      return dialog.dismiss();
    };
    page.on('dialog', stay);
    await page.keyboard.press('d');
    await page.getByRole('link', { name: 'Back to the queue' }).click({ noWaitAfter: true });
    await page.getByText('The case is decided.').waitFor();
    expect(asked).toEqual(['beforeunload']);
    expect(await states()).toEqual(['decided']);
  });

  it('of an appeal need a reason, which is typed', async () => {
    const { path, author, caseIds, states } = await queueOf(1);
    await decide(reader, caseIds[0]!, ['restrict_post']);
    const [visitor, account] = await author.openAccount();
    await visitor.submitTo(account, '/decisions', { appeal: 'They are lamps of my own.' });
    const page = await moderator();
    await page.goto(`${path}&state=appealed`);
    await page.keyboard.press('c');
    await page.getByText('They are lamps of my own.').first().waitFor();
    await page.keyboard.press('u');
    await page.keyboard.type('it is spam');
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    expect(await waiting(page)).toBe('Uphold: it is spam. It is sent in 5 seconds.');
    await page.keyboard.press('Enter');
    await page
      .getByText('The decision is upheld. Nothing waits under these filters that you may claim.')
      .waitFor();
    expect(await states()).toEqual(['decided']);
  });

  it('lead on from a decision that comes too late', async () => {
    const { path, states } = await queueOf(2);
    const page = await moderator();
    await page.goto(path);
    await page.keyboard.press('c');
    await page.getByText('You have claimed the case.').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await reader.client.post('cases/:id/release', { id, reason: 'she is away' });
    for (const key of ['1', 'v', 'Enter']) await page.keyboard.press(key);
    await page.getByText('You have not claimed this case').waitFor();
    expect(await page.getByText('spam').count()).toBe(1);
    await page.keyboard.press('n');
    await page.getByText('You have claimed the case.').waitFor();
    expect(page.url()).not.toContain(id);
    expect(new Set(await states())).toEqual(new Set(['claimed', 'open']));
  });

  it('tell the server that the claimer is at work, once a minute', async () => {
    const { page } = await claimed();
    const signs: string[] = [];
    page.on('request', (request) => isSign(request) && signs.push(request.url()));
    await page.clock.install();
    await page.reload();
    await page.keyboard.press('1');
    await page.clock.fastForward(61_000);
    const answered = page.waitForResponse((response) => isSign(response));
    await page.locator('#violation-notice').press('x');
    expect((await answered).status()).toBe(204);
    await page.keyboard.press('x');
    expect(signs).toHaveLength(1);
  });

  it('do nothing in a field for text, with a modifier or while a key is held, and can be switched off', async () => {
    const { page } = await claimed();
    const isChosen = () => page.getByRole('radio', { name: 'spam' }).isChecked();
    for (const id of ['decide-reason', 'violation-notice']) {
      await page.locator(`#${id}`).fill('');
      await page.keyboard.type('1vd?cn');
      expect(await page.locator(`#${id}`).inputValue()).toBe('1vd?cn');
    }
    expect([await isChosen(), await waiting(page)]).toEqual([false, '']);
    await page.locator('h1').focus();
    for (const key of ['Control+1', 'Alt+1', 'Meta+1']) await page.keyboard.press(key);
    expect(await isChosen()).toBe(false);
    const isTicked = () => page.getByLabel('Restrict the post').isChecked();
    await page.keyboard.down('r');
    await page.keyboard.down('r');
    await page.keyboard.up('r');
    expect(await isTicked()).toBe(false);

    await page.keyboard.press('?');
    await page.getByLabel('Keys are on').uncheck();
    await page.reload();
    await page.keyboard.press('1');
    expect(await isChosen()).toBe(false);
    await page.locator('summary').getByText('Keys').click();
    await page.getByLabel('Keys are on').check();
    await page.keyboard.press('1');
    expect(await isChosen()).toBe(true);
  });

  it('about an account say that a violation has no effect until one is ticked', async () => {
    const { page, author, reporter } = await claimed();
    await report(reporter, { actorId: author.actorId });
    const caseId = `actor-${author.actorId}`;
    await until(async () => (await stateOf(reader, caseId)) !== undefined);
    await page.goto(`${url}/${caseId}`);
    await page.keyboard.press('c');
    await page.getByText('You have claimed the case.').waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('v');
    expect(await waiting(page)).toBe('Violation: harassment. No effect. It is sent in 5 seconds.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.keyboard.press('v');
    expect(await waiting(page)).toContain('Suspend the account.');
    await page.keyboard.press('Escape');
  });

  it('are accessible in both schemes, on each width', async () => {
    const { author, reporter, caseIds, path } = await queueOf(2);
    const parentId = caseIds[0]!.slice('post-'.length);
    const reply = await createPost(author, `lamps & <b>more</b> lamps, ${'cheap '.repeat(60)}`, { parentId });
    const caseId = await reportedPost(reader, reporter, reply, 'again and again');
    await decide(reader, caseIds[1]!, ['restrict_post']);
    const page = await moderator();
    await page.goto(`${url}/${caseId}`);
    await page.keyboard.press('c');
    await page.getByText('again and again').waitFor();
    await page.keyboard.press('?');
    const faults: unknown[] = [];
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [375, 768, 1_280, 1_440, 1_920]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        for (const fault of await accessibilityFaults(page, { ofColour: colorScheme === 'dark' }))
          faults.push([colorScheme, width, fault]);
      }
    expect(faults).toEqual([]);
    await expectLegible(page, 'console-case-evidence');
    await page.goto(path);
    await expectLegible(page, 'console-case-queue');
    expect(watched.takeFaults()).toEqual([]);
  });
});
