/** @slow */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import type { OperatorClient } from '../support/operator-client.js';
import type { BrowserPage } from '../../src/programs/demo/browser.js';
import { accessibilityFaults, enrollInBrowser } from '../browser/support/console.js';
import { describeInBrowser, startChromium } from '../browser/support/chromium.js';
import { expectLegible } from '../browser/support/legibility.js';
import { takePicture } from '../browser/support/picture.js';
import { isRunBy, mentionedIn, stepsOf, typed } from '../recovery/support/runbook.js';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { suspendAll } from '../support/batches.js';
import { enrollInConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { newDataDir } from '../support/data-dir.js';
import { moderatorWith, report, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { enrollOperator } from '../support/operators.js';
import { post, removePost } from '../support/social.js';
import { until } from '../support/until.js';
import { blocksOf } from './support/document.js';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const document = read('docs/operators.md');
const steps = stepsOf(blocksOf(document));
const images = fileURLToPath(new URL('../../docs/images', import.meta.url));
const pictures = fileURLToPath(new URL('../../artifacts/pictures', import.meta.url));
const MAX_PICTURE_BYTES = 200_000;

const scratch = newDataDir();
let started: TestNetwork;
/** With the token of an administrator: a day limits the shared one. */
let network: TestNetwork;
let operator: OperatorClient;
let moderator: Moderator;
let grace: ConsoleUser;
let url: string;

beforeAll(async () => {
  started = await startNetwork();
  const { operatorId, token } = await enrollOperator(operatorOf(started), [
    'administrator',
    'moderator',
    'auditor',
  ]);
  network = Object.assign({}, started, { env: { ...started.env, OPERATOR_TOKEN: token } });
  operator = operatorOf(network);
  moderator = moderatorWith(network, { operatorId, token });
  url = readConfig(network.env).operatorBaseUrl;
  grace = await enrollInConsole(url, operator, ['administrator', 'moderator', 'auditor']);
});

afterAll(async () => {
  await started?.stop();
  rmSync(scratch, { recursive: true });
});

const person = async (name = 'Pebble') =>
  signIn(
    network,
    await registerApplication(network, name),
    'openid read post:create post:delete report:create',
  );

async function grantOf({ actorId }: SignedIn): Promise<string> {
  const page = await grace.browser.open(`${url}/console/accounts/${actorId}`);
  return /\/console\/grants\/([\w-]+)/.exec(page.text)?.[1] ?? '';
}

async function eventOf(postId: string): Promise<string> {
  const q = `post:${postId} type:post.created`;
  const { events } = await operator.get('audit', { q, texts: false, wait: true });
  return events[0]?.eventId ?? '';
}

/** Values of the shell variables in the document, of people of their own. */
async function variablesOfADay(): Promise<Readonly<Record<string, string>>> {
  const [author, spammer, mistaken, erased] = await Promise.all([person(), person(), person(), person()]);
  const handle = `p_${randomBytes(5).toString('hex')}`;
  const { actorId: absent } = await operator.post('accounts', {
    handle,
    displayName: 'Absent',
    email: `${handle}@example.org`,
    password: 'correct horse battery',
  });
  const postId = await post(author, 'Somebody will not like this');
  const answer = await author.say('and this');
  const caseId = await reportedPost(moderator, author, await post(spammer, 'Buy lamps'));
  const leaving = await enrollOperator(operator, ['moderator']);
  writeFileSync(join(scratch, 'spammers'), `${spammer.actorId}\n`);
  return {
    OPERATOR_TOKEN: network.env['OPERATOR_TOKEN'] ?? '',
    CLIENT_ID: author.appId,
    ACTOR_ID: author.actorId,
    GRANT_ID: await grantOf(author),
    POST_ID: postId,
    CASE_ID: caseId,
    EVENT_ID: await eventOf(postId),
    REQUEST_ID: answer.headers.get('x-request-id') ?? '',
    BATCH_ID: await suspendAll(operator, [mistaken.actorId], 'a wave of spam'),
    ERASED_ID: erased.actorId,
    ABSENT_ID: absent,
    OPERATOR_ID: leaving.operatorId,
    FILE: join(scratch, 'spammers'),
    ANSWER: join(scratch, 'answer'),
    EXPORT: join(scratch, 'export'),
    DATA: join(scratch, 'data'),
  };
}

describe('docs/operators.md', () => {
  it('mentions no command that none of its examples runs', () => {
    expect(
      mentionedIn(document).filter((command) => !steps.some(({ line }) => isRunBy(line, command))),
    ).toEqual([]);
  });

  it.each([...new Set(steps.map(({ heading }) => heading))])('is correct in: %s', async (day) => {
    const variables = await variablesOfADay();
    const [printed, written]: [string[], string[]] = [[], []];
    for (const step of steps.filter(({ heading }) => heading === day)) {
      const [output, expected] = await typed(network, step, variables);
      printed.push(output);
      written.push(expected);
    }
    expect(printed).toEqual(written);
  });

  it('shows, with two READMEs, the pictures that stand in docs/images, each of them small', () => {
    const documents = document + read('README.md') + read('examples/reference-app/README.md');
    const shown = [...documents.matchAll(/\((?:(?:\.\.\/)*docs\/)?images\/([\w.-]+)\)/g)].map(
      ([, name = '']) => name,
    );
    expect(readdirSync(images).toSorted()).toEqual(shown.toSorted());
    for (const name of shown)
      expect([name, statSync(join(images, name)).size < MAX_PICTURE_BYTES]).toEqual([name, true]);
  });
});

const open = (path: string): Promise<BrowserPage> => grace.browser.open(`${url}/console${path}`);

/** Sends the form of a page with this action. */
function send(page: BrowserPage, action: string, fields: Readonly<Record<string, string>> = {}) {
  const form = page.forms.find((each) => each.action === `/console${action}`);
  if (!form) throw new Error(`${page.url.pathname} has no form ${action}: ${page.text}`);
  return grace.browser.submit(page, form, fields);
}

describe('on such a day, the console without JavaScript', () => {
  it('previews a restriction of posts, does exactly that, and undoes it', async () => {
    const spammer = await person('Cheap Lamps');
    await Promise.all(['lamp 1', 'lamp 2', 'lamp 3'].map((text) => post(spammer, text)));
    const impact = await until(async () => {
      const page = await open(`/applications/${spammer.appId}/impact`);
      return page.text.includes('published a post') && page;
    });
    expect(impact.text).toContain('What <bdi>Cheap Lamps</bdi> did');
    const preview = await send(impact, '/batches/preview', { from: '1h', until: '0' });
    expect(preview.text).toContain('Preview: 3 posts');
    const requested = await send(preview, '/batches', { reason: 'a wave of spam' });
    const path = requested.url.pathname.slice('/console'.length);
    const applied = await until(async () => {
      const page = await open(path);
      return page.text.includes('>applied</span>') && page;
    });
    expect(applied.text).toMatch(/<dt>restricted<\/dt>\s*<dd>3<\/dd>/);
    await send(applied, `${path}/undo`, { reason: 'they are nice lamps' });
    await until(async () => (await open(path)).text.includes('>undone</span>'));
    expect((await open('/batches')).text).toContain(`href="/console${path}"`);
  });

  it('previews a suspension of accounts, and says who is left out', async () => {
    const { actorId } = await person();
    const preview = await send(await open('/batches'), '/batches/preview', {
      actorIds: `${actorId}\r\nnobody`,
    });
    expect(preview.text).toContain('Preview: 1 account');
    expect(preview.text).toMatch(/Left out[\s\S]*>nobody</);
    const { url: batch } = await send(preview, '/batches', { reason: 'a wave of spam' });
    await until(async () => (await grace.browser.open(batch)).text.includes('>applied</span>'));
    expect((await open(`/accounts/${actorId}`)).text).toContain('>suspended</span>');
  });

  it('shows on the overview who posts most, and closes and opens registration', async () => {
    const loud = await person('Loudspeaker');
    await Promise.all(Array.from({ length: 8 }, (_, n) => post(loud, `${n}`)));
    await until(async () =>
      /Loudspeaker<\/bdi[\s\S]*?>\s*8 posts by 1 account/.test((await open('/overview')).text),
    );
    const closed = await send(await open('/overview'), '/registration/close');
    expect(closed.text).toContain('Registration is closed');
    expect(await operator.get('registration')).toEqual({ isOpen: false, by: 'operator' });
    const opened = await send(closed, '/registration/open', { reason: 'the wave is over' });
    expect(opened.text).toContain('Registration is open');
  });

  it('searches the audit page by page, and shows no text of a deleted post', async () => {
    const author = await person();
    const deleted = await post(author, 'a lapse');
    await removePost(author, deleted);
    for (let n = 0; n < 50; n += 1) await post(author, `note ${n}`);
    const q = encodeURIComponent(`actor:${author.actorId} type:post.*`);
    const first = await until(async () => {
      const page = await open(`/audit?q=${q}`);
      // One event of the 52 may still be missing when the page is full.
      return page.text.includes('<bdi>note 49</bdi>') && page.text.includes('Older events') && page;
    });
    const next = /href="(\/console\/audit\?[^"]*before=[^"]+)"/.exec(first.text)?.[1] ?? '';
    const second = await grace.browser.open(url + next.replaceAll('&amp;', '&'));
    expect(second.text).toMatch(/deleted the post\s*<a/);
    expect(second.text).toContain('they are not public');
    expect(second.text).not.toContain('Older events');
    const stream = await open(`/log/post-${deleted}`);
    expect(stream.text.match(/<strong>[^<]*/g)).toEqual(['<strong>post.created', '<strong>post.deleted']);
    for (const page of [first, second, stream, await open('/log')])
      expect(page.text).not.toContain('a lapse');
    const refused = await open(`/audit?q=${encodeURIComponent('actor=x')}`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('value="actor=x"')]);
  });

  it('reads the log in its order, page by page, and no stream of the server', async () => {
    const author = await person();
    for (let n = 0; n < 26; n += 1) await removePost(author, await post(author, `note ${n}`));
    const positions = ({ text }: BrowserPage) =>
      [...text.matchAll(/position (\d+)/g)].map(([, at]) => Number(at));
    const newest = await until(async () => {
      const page = await open('/log');
      return page.text.includes('Older events') && page;
    });
    const older = await open(`/log?before=${positions(newest).at(-1)}`);
    const read = [...positions(newest), ...positions(older)];
    expect(read).toEqual([...new Set(read)].toSorted((a, b) => b - a));
    const stream = await open(`/log/plaza_sign-ins-${author.actorId}`);
    expect(stream.text).toContain('account.signed_in');
    for (const name of ['%24all', '%24settings', 'other-1', 'post-nobody', 'post-%00'])
      expect([name, (await open(`/log/${name}`)).status]).toEqual([name, 404]);
  });

  it('follows a rebuild until it is published, and stops reloading for its forms', async () => {
    const { worker } = network.pids();
    process.kill(worker!, 'SIGSTOP');
    let running: BrowserPage;
    try {
      running = await send(await open('/projections'), '/projections/rebuild', { reason: 'a test' });
      expect(running.text).toContain('This page loads again every 3 seconds');
      expect(running.refresh).toBe('3');
      expect(running.forms.map(({ action }) => action)).toEqual(['/console/sign-out']);
      const path = running.url.pathname.slice('/console'.length);
      const still = await open(`${path}?follow=no`);
      expect(still.refresh).toBeNull();
      expect((await send(still, `${path}/pause`)).text).toContain('>paused</span>');
      await send(await open('/projections'), '/projections/rebuild');
    } finally {
      process.kill(worker!, 'SIGCONT');
    }
    const end = await until(async () => {
      const page = await grace.browser.open(running.url);
      return page.text.includes('>published</span>') && page;
    }, 60_000);
    expect(end.refresh).toBeNull();
    expect((await open('/recovery')).text).toContain(running.url.pathname);
    expect((await open('/recovery/plan')).text).toContain('There is nothing to recover.');
  });
});

describeInBrowser('on such a day, the console in a real browser', () => {
  it('has pictures for the document, and is accessible while work is under way', async () => {
    mkdirSync(pictures, { recursive: true });
    const chromium = await startChromium();
    try {
      const context = await chromium.newContext({
        viewport: { width: 1000, height: 700 },
        colorScheme: 'light',
      });
      const page = await context.newPage();
      await enrollInBrowser(
        page,
        (
          await operator.post('operators', {
            name: 'Grace Hopper',
            roles: ['administrator', 'moderator', 'auditor'],
          })
        ).link,
      );
      const [ana, lamps] = await Promise.all([person('Pebble'), person('Cheap Lamps')]);
      await post(ana, 'Good morning');
      for (let n = 0; n < 12; n += 1) await post(lamps, `Buy lamp ${n}`);
      await until(
        async () =>
          (await operator.get('applications/:id/impact', { id: lamps.appId })).acts['post.created'] === 12,
      );
      const plan = { kind: 'posts', appId: lamps.appId, from: '1h', until: '0' } as const;
      const preview = await operator.post('batches/preview', plan);
      const exact = {
        ...plan,
        from: new Date(preview.from!).toISOString(),
        until: new Date(preview.until!).toISOString(),
      };
      const { batchId } = await operator.post('batches', {
        ...exact,
        digest: preview.digest,
        reason: 'a wave of spam',
      });
      await until(async () => (await operator.get('batches/:id', { id: batchId })).state === 'applied');
      for (const [name, path] of [
        ['overview', '/overview'],
        ['impact', `/applications/${lamps.appId}/impact`],
        ['batch', `/batches/${batchId}`],
        ['audit', `/audit?q=${encodeURIComponent(`actor:${ana.actorId}`)}`],
      ] as const) {
        await page.goto(`${url}/console${path}`);
        const file = join(pictures, `console-${name}.png`);
        await takePicture(page, { path: file });
        expect([name, statSync(file).size < MAX_PICTURE_BYTES]).toEqual([name, true]);
      }
      const kiosk = await person('Kiosk');
      const threat = await post(kiosk, 'Buy a lamp, or I come and find you');
      for (let n = 0; n < 5; n += 1)
        await reportedPost(moderator, ana, await post(kiosk, `Umbrella ${n}, today only`));
      await report(kiosk, { postId: await post(ana, 'All lamps are ugly'), reason: 'other' });
      await report(ana, { postId: threat, reason: 'harassment', text: 'This frightens me.' });
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${url}/console/cases`);
      await until(async () => (await page.reload(), await page.getByText('come and find you').count()) > 0);
      await takePicture(page, { path: join(pictures, 'console-queue.png') });
      await page.keyboard.press('c');
      await page.getByText('You have claimed the case.').waitFor();
      await takePicture(page, { path: join(pictures, 'console-case.png') });
      const { worker } = network.pids();
      process.kill(worker!, 'SIGSTOP');
      try {
        const { id } = await operator.post('projections/rebuild', { names: [], reason: 'a test' });
        await page.goto(`${url}/console/jobs/${id}`);
        await page.getByText('This page loads again').waitFor();
        await page.goto(`${url}/console/jobs/${id}?follow=no`);
        expect(await accessibilityFaults(page)).toEqual([]);
        await expectLegible(page, 'console-job');
      } finally {
        process.kill(worker!, 'SIGCONT');
      }
    } finally {
      await chromium.close();
    }
  });
});
