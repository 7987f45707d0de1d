import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../../src/base/config/config.js';
import { operatorOf, registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { newModerator, report, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { someName } from '../support/operators.js';
import { personWithToken } from '../support/people.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { follow } from '../support/social.js';
import { until } from '../support/until.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { accessibilityFaults, enrollInBrowser } from './support/console.js';
import { expectLegible, overflowingElements } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

const scope = 'read post:create relation:write report:create';

describeInBrowser('the queue, in a real browser', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let url: string;
  let grace: Moderator;
  let author: SignedIn;
  let threat: string;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
    url = `${readConfig(network.env).operatorBaseUrl}/console`;
    grace = await newModerator(network, 'moderator', someName('Grace'));
    await reportAll();
  });

  afterEach(() => watched.close());

  afterAll(() => chromium?.close());

  /** Two posts of one author, one of them with a brigade, and the account itself. */
  async function reportAll(): Promise<void> {
    const application = await registerApplication(network, 'Pebble');
    const person = () => personWithToken(network, application, scope);
    author = await person();
    const brigade = await Promise.all(Array.from({ length: 5 }, person));
    for (const one of brigade) for (const other of brigade) if (one !== other) await follow(one, other);
    const [reporter] = brigade as [SignedIn];
    const postId = await createPost(
      author,
      'I know where you live, and you will not see the next morning. '.repeat(3),
    );
    threat = await reportedPost(grace, reporter, postId, 'a threat');
    await report(reporter, { postId, reason: 'illegal' });
    const song = await createPost(author, 'A song about\nrain');
    await reportedPost(grace, reporter, song);
    for (const each of brigade.slice(1)) await report(each, { postId: song, reason: 'harassment' });
    await report(reporter, { actorId: author.actorId, reason: 'impersonation' });
    await until(async () => {
      const { cases } = await grace.client.get('cases', { author: author.actorId });
      return cases.reduce((sum, { reports }) => sum + reports, 0) === 8;
    });
  }

  async function enroll(): Promise<Page> {
    const { link } = await operatorOf(network).post('operators', {
      name: someName('Hedy'),
      roles: ['moderator'],
      reason: 'a test',
    });
    const page = await watched.newPage();
    await enrollInBrowser(page, link);
    return page;
  }

  it('has a row of 32 pixels for each case, whose links can be hit, and fits each width', async () => {
    const page = await enroll();
    await page.goto(`${url}/cases?author=${author.actorId}`);
    for (const width of [1440, 1024, 375]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await overflowingElements(page)]).toEqual([width, []]);
      const cut = await page.evaluate(
        () =>
          [...document.querySelectorAll('.scrolled')].filter((each) => each.scrollWidth > each.clientWidth)
            .length,
      );
      expect([width, cut]).toEqual([width, 0]);
      if (width < 1024) continue;
      const heights = await page.evaluate(() =>
        [...document.querySelectorAll('.queue tbody tr')].map((each) => each.getBoundingClientRect().height),
      );
      expect([width, ...new Set(heights)]).toEqual([width, 32]);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    // On a phone, a row is a block: the headings of its columns are for screen readers alone.
    const devtools = await page.context().newCDPSession(page);
    const { nodes } = await devtools.send('Accessibility.getFullAXTree');
    const headings = nodes
      .filter(({ role }) => role?.value === 'columnheader')
      .map(({ name }) => name?.value);
    expect(headings).toEqual(expect.arrayContaining(['Severity', 'Age']));
    await expectLegible(page, 'console-queue');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${url}/cases?state=open`);
    await page
      .getByRole('row')
      .filter({ hasText: 'I know where' })
      .getByRole('link', { name: '3 cases' })
      .click();
    await page.getByText('brigade?').waitFor();
    expect(await page.locator('.queue tbody tr').count()).toBe(3);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('leads from case to case by its button, until none waits', async () => {
    const page = await enroll();
    await page.goto(`${url}/cases?author=${author.actorId}`);
    await page.getByRole('button', { name: 'Claim the next' }).click();
    await page.getByText('You have claimed the case.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/cases/${threat}`);
    for (const _each of [1, 2]) {
      await page.goto(`${url}/cases`);
      await page.getByRole('button', { name: 'Claim the next' }).click();
      await page.getByText('You have claimed the case.').waitFor();
    }
    await page.goto(`${url}/cases`);
    await page.getByRole('button', { name: 'Claim the next' }).click();
    await page.getByText('Nothing waits under these filters that you may claim.').waitFor();
    expect(watched.takeFaults()).toEqual([]);
  });
});
