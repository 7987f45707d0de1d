import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import type { Role } from '../../src/domain/operator/roles.js';
import type { BrowserPage } from '../../src/programs/demo/browser.js';
import { personWithPage } from '../support/account-visitor.js';
import type { PersonWithPage } from '../support/account-visitor.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { enrollInConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { newModerator, report, reportedPost, stateOf } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { someName } from '../support/operators.js';
import { createPost } from '../support/posts.js';
import { until } from '../support/until.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

const name = someName();
const scope = 'openid read post:create report:create';

let network: SharedNetwork;
let application: Application;
let url: string;
let reporter: SignedIn;
let reader: Moderator;
let grace: ConsoleUser;
let hedy: ConsoleUser;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  url = readConfig(network.env).operatorBaseUrl;
  [reporter, reader, grace, hedy] = await Promise.all([
    personWithToken(network, application, scope),
    newModerator(network),
    enroll('moderator', name),
    enroll('moderator', someName('Hedy')),
  ]);
});

const enroll = (role: Role, name: string) => enrollInConsole(url, operatorOf(network), [role], name);

async function reported(text = 'buy my <b>lamps</b>') {
  const person = await personWithPage(network, application, scope);
  const postId = await createPost(person, text);
  const caseId = await reportedPost(reader, reporter, postId, 'he always does');
  return { person, postId, caseId, path: `/console/cases/${caseId}` };
}

const open = ({ browser }: ConsoleUser, path: string): Promise<BrowserPage> => browser.open(url + path);

const actionsOf = ({ forms }: BrowserPage): readonly string[] =>
  forms.map(({ action }) => action.split('/').slice(4).join('/')).filter((action) => action !== '');

/** Sends the form of the case whose action, or that of a button, ends so, from the page as it is now. */
async function send(
  user: ConsoleUser,
  path: string,
  act: string,
  typed: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  const page = await open(user, path);
  const isShown = page.text.includes(`action="${path}/${act}"`);
  const form = page.forms.find(({ action }) => action === `${path}/${act.replace('overturn', 'uphold')}`);
  if (!form || !isShown) throw new Error(`${path} has no form ${act}: ${page.text}`);
  return user.browser.submit(page, { ...form, action: `${path}/${act}` }, typed);
}

const violation = { outcome: 'violation', effects: 'restrict_post', reason: 'spam' };

async function appeal(person: PersonWithPage): Promise<void> {
  const [visitor, page] = await person.openAccount();
  await visitor.submitTo(page, '/decisions', { appeal: 'They are lamps of my own.' });
}

describe('the queue of the console', () => {
  it('lists open cases by default, the claimed ones of the operator, and by the reason of a report', async () => {
    const { caseId, postId, path } = await reported();
    await report(reporter, { postId, reason: 'illegal' });
    const isListed = async (user: ConsoleUser, query: string) =>
      (await open(user, `/console/cases?order=newest${query}`)).text.includes(`"${path}`);
    expect(await isListed(grace, '')).toBe(true);
    expect(await isListed(grace, '&reportedFor=illegal')).toBe(true);
    expect(await isListed(grace, '&reportedFor=harassment')).toBe(false);
    await send(grace, path, 'claim');
    expect([await isListed(grace, ''), await isListed(grace, '&state=mine')]).toEqual([false, true]);
    expect(await isListed(hedy, '&state=mine')).toBe(false);
    expect((await open(hedy, '/console/cases?state=claimed&order=newest')).text).toContain(
      `<bdi>${name}</bdi></a>`,
    );
    expect((await open(grace, '/console/cases?state=lost')).status).toBe(400);
    expect(await stateOf(reader, caseId)).toBe('claimed');
  });

  it('has a row with author, words, application, reasons and age, and gathers the cases of an author', async () => {
    const { person, postId, path } = await reported('buy my <b>lamps</b>');
    await report(reporter, { postId, reason: 'illegal' });
    await report(reporter, { actorId: person.actorId, reason: 'spam' });
    const rowOf = async (query: string) => {
      const { text } = await open(grace, `/console/cases?order=newest${query}`);
      return text.split('<tr>').find((row) => row.includes(`"${path}"`)) ?? '';
    };
    await until(async () => (await rowOf('')).includes('2 cases'));
    const row = await rowOf('');
    for (const shown of [
      'dir="auto"\n          >“buy my &lt;b&gt;lamps&lt;/b&gt;”</a',
      `<bdi>@${person.handle}</bdi>`,
      `/console/applications/${application.clientId}`,
      '1 illegal, 1 spam',
      'critical',
      '0 min',
      '1 person',
    ])
      expect(row).toContain(shown);
    const gathered = await open(grace, `/console/cases?author=${person.actorId}`);
    expect([...gathered.text.matchAll(/<th scope="row">/g)]).toHaveLength(2);
    const auditor = await enroll('auditor', someName('Adele'));
    const { text } = await open(auditor, '/console/cases?order=newest');
    expect(text).toContain(path);
    expect(text).not.toMatch(/Reporters|1 person|Claim the next/);
  });

  it('has its last filters again when it is opened without any, until a link resets them', async () => {
    const user = await enroll('moderator', someName());
    const opened = async (path: string) => {
      const { text } = await open(user, path);
      return [...text.matchAll(/aria-current="page"\s*>([^<]*)</g)].map((found) => found[1]).slice(-3);
    };
    const usual = ['Open', 'anything', 'most urgent first'];
    expect(await opened('/console/cases')).toEqual(usual);
    expect(await opened('/console/cases?state=claimed&reportedFor=spam')).toEqual([
      'Claimed',
      'spam',
      'most urgent first',
    ]);
    await open(user, '/console/cases?state=lost');
    expect(await opened('/console/cases')).toEqual(['Claimed', 'spam', 'most urgent first']);
    const [, reset = ''] =
      /href="([^"]*)"\s*>Reset the filters/.exec((await open(user, '/console/cases')).text) ?? [];
    expect(await opened(reset.replaceAll('&amp;', '&'))).toEqual(usual);
    expect(await opened('/console/cases')).toEqual(usual);
    const refused = await open(user, '/console/cases?author=nobody');
    const [, way = ''] = /href="([^"]*)"\s*>The queue without filters/.exec(refused.text) ?? [];
    expect([refused.status, await opened(way.replaceAll('&amp;', '&'))]).toEqual([400, usual]);
    expect(await opened('/console/cases')).toEqual(usual);
  });

  it('gives the next case to who asks for it, and says when none waits', async () => {
    const { person, path } = await reported();
    const mine = `/console/cases?author=${person.actorId}`;
    const next = async () => {
      const page = await open(grace, mine);
      const form = page.forms.find(({ action }) => action === '/console/cases/next')!;
      return grace.browser.submit(page, form, {});
    };
    const claimed = await next();
    expect([claimed.status, claimed.text]).toEqual([200, expect.stringContaining('he always does')]);
    expect(claimed.text).toContain('You have claimed the case.');
    const { fields } = claimed.forms[0]!;
    const sign = await grace.browser.submit(
      claimed,
      { action: `${path}/active`, method: 'post', fields, buttons: [] },
      {},
    );
    expect([sign.status, sign.text]).toEqual([204, '']);
    const form = claimed.forms[0]!;
    const another = { ...form, action: '/console/cases/next' };
    const none = await grace.browser.submit(claimed, another, { after: path.split('/').at(-1)! });
    expect([none.status, none.text]).toEqual([
      200,
      expect.stringContaining('Nothing waits under these filters that you may claim.'),
    ]);
  });

  it('is linked from the overview, with the number of open cases', async () => {
    await reported();
    const { text } = await open(grace, '/console/overview');
    expect(text).toMatch(/<p class="figure">[1-9][0-9,]* open<\/p>/);
    expect(text).toContain('<a href="/console/cases">To the queue</a>');
    const viewer = await enroll('viewer', 'Vera');
    expect((await open(viewer, '/console/overview')).text).not.toContain('"/console/cases"');
    expect((await open(viewer, '/console/cases')).status).toBe(403);
  });
});

describe('a case in the console', () => {
  it('shows its texts to the claimer alone, and takes a note and a decision', async () => {
    const { postId, path } = await reported();
    const ofPost = 'buy my &lt;b&gt;lamps&lt;/b&gt;';
    const texts = [ofPost, 'he always does'];
    const seen = async (user: ConsoleUser) => {
      const { text } = await open(user, path);
      return texts.filter((each) => text.includes(each));
    };
    // Anybody can read the post.
    expect(await seen(grace)).toEqual([ofPost]);
    const late = await open(hedy, path);
    await send(grace, path, 'claim');
    const form = late.forms.find(({ action }) => action === `${path}/claim`)!;
    const second = await hedy.browser.submit(late, form, {});
    expect([second.status, second.text]).toEqual([409, expect.stringContaining('revision_conflict')]);
    expect(second.text).toMatch(
      new RegExp(`<p>Operator <a [^>]*><bdi>${name}</bdi></a>.* has claimed this case`),
    );
    expect(second.text).toContain('<a href="/console/cases">Back to the queue</a>');
    expect(second.forms.map(({ action }) => action)).toContain('/console/cases/next');
    expect([await seen(grace), await seen(hedy)]).toEqual([texts, [ofPost]]);
    expect(actionsOf(await open(hedy, path))).toEqual(['notes', 'release']);

    await send(grace, path, 'notes', { note: 'seen\nbefore' });
    expect((await open(grace, path)).text).toContain('<blockquote>seen\nbefore</blockquote>');
    const unexplained = await send(grace, path, 'decide', { ...violation, reason: '' });
    expect([unexplained.status, unexplained.text]).toEqual([400, expect.stringContaining('reason: say why')]);
    const decided = await send(grace, path, 'decide', { ...violation, notice: 'No advertising.' });
    expect(decided.text).toContain('The case is decided.');
    expect(decided.text).toContain('restrict the post (applied)');
    const [, card = ''] = /<h2 id="decisions">([\s\S]*?)<\/section>/.exec(decided.text) ?? [];
    expect(card).toMatch(/<dt>why<\/dt>\s*<dd><bdi>spam<\/bdi>/);
    expect((await reporter.get(`/api/posts/${postId}`)).status).toBe(404);
    expect(actionsOf(decided)).toEqual(['notes', 'reopen']);
    expect(await seen(grace)).toEqual([]);
  });

  it('gives back what was written, if the form is refused or the session has ended', async () => {
    const { path } = await reported();
    await send(grace, path, 'claim');
    const written = { ...violation, reason: 'an <i>old</i> trick', notice: 'No\nadvertising.' };
    const expectWritten = ({ text }: BrowserPage) => {
      expect(text).toContain('<blockquote>an &lt;i&gt;old&lt;/i&gt; trick</blockquote>');
      expect(text).toContain('<blockquote>No\nadvertising.</blockquote>');
    };
    const late = await open(grace, path);
    const form = late.forms.find(({ action }) => action === `${path}/decide`)!;
    const user = await enroll('moderator', someName('Ida'));
    const theirs = await open(user, path);
    const release = theirs.forms.find(({ action }) => action === `${path}/release`)!;
    await user.browser.submit(theirs, release, { reason: 'she is away' });
    const refused = await grace.browser.submit(late, form, written);
    expect(refused.status).toBe(403);
    expectWritten(refused);
    expect(refused.text).toContain(`<a href="${path}">Back</a>`);

    await send(user, path, 'claim');
    const own = await open(user, path);
    const decide = own.forms.find(({ action }) => action === `${path}/decide`)!;
    const signOut = own.forms.find(({ action }) => action === '/console/sign-out')!;
    await user.browser.submit(own, signOut, {});
    const ended = await user.browser.submit(own, decide, written);
    expect(ended.status).toBe(401);
    expectWritten(ended);
    expect(ended.text).toContain(`<a href="${path}">Sign in</a>`);
  });

  it('is followed by the next one of the same filter, if the button says so', async () => {
    await open(grace, `/console/cases?application=${application.clientId}&order=urgent`);
    const first = await reported();
    await reported();
    await send(grace, first.path, 'claim');
    const claimed = await open(grace, first.path);
    const form = claimed.forms.find(({ action }) => action === `${first.path}/decide`)!;
    const next = { ...form, action: `${first.path}/decide?then=next` };
    const decided = { outcome: 'no_violation', reason: 'fine' };
    const { url: left, text } = await grace.browser.submit(claimed, next, decided);
    expect(text).toContain('The case is decided. You have claimed the case.');
    expect(await stateOf(reader, first.caseId)).toBe('decided');
    const { history } = await reader.client.get('cases/:id', { id: left.pathname.split('/').at(-1)! });
    expect(history.find(({ type }) => type === 'case.claimed')?.reason).toBeNull();
  });

  it('shows the thread, other posts and earlier decisions, in the page alone', async () => {
    const { person, postId, caseId } = await reported('the first of the thread');
    await report(reporter, { postId });
    await send(grace, `/console/cases/${caseId}`, 'claim');
    await send(grace, `/console/cases/${caseId}`, 'decide', { outcome: 'no_violation', reason: 'fine' });
    const other = await createPost(person, 'another post of theirs');
    const reply = await createPost(person, 'a reply', { parentId: postId });
    const replyCase = await reportedPost(reader, reporter, reply);
    const { text } = await open(hedy, `/console/cases/${replyCase}`);
    expect(text).toMatch(/It replies to[\s\S]*<blockquote>the first of the thread<\/blockquote>/);
    expect(text).toContain('<blockquote>another post of theirs</blockquote>');
    expect(text).toMatch(
      new RegExp(`<strong>no violation</strong\\s*>:\\s*<a href="/console/cases/${caseId}"`),
    );
    const answer = await reader.client.get('cases/:id', { id: replyCase });
    expect(answer.evidence).toMatchObject({ thread: [{ postId }], newestPosts: [other, postId] });
    expect(JSON.stringify(answer)).not.toMatch(/thread of|first of the thread|post of theirs/);
  });

  it('that another operator has opened again meanwhile is not said to be opened', async () => {
    const { path } = await reported();
    await send(grace, path, 'claim');
    await send(grace, path, 'decide', { outcome: 'no_violation', reason: 'fine' });
    const late = await open(hedy, path);
    await send(grace, path, 'reopen', { reason: 'once more' });
    await send(grace, path, 'claim');
    const form = late.forms.find(({ action }) => action === `${path}/reopen`)!;
    const { text } = await hedy.browser.submit(late, form, { reason: 'me too' });
    expect(text).toContain('Nothing changed: the case was open already.');
  });

  it('about a post without a violation has no effect, and may be reopened', async () => {
    const { caseId, postId, path } = await reported();
    await send(grace, path, 'claim');
    await send(grace, path, 'decide', { outcome: 'no_violation', reason: 'fine' });
    expect((await reporter.get(`/api/posts/${postId}`)).status).toBe(200);
    await send(hedy, path, 'reopen', { reason: 'once more' });
    expect(await stateOf(reader, caseId)).toBe('open');
  });

  it('offers an appeal to another operator, who rules on it', async () => {
    const { person, postId, path } = await reported();
    await send(grace, path, 'claim');
    await send(grace, path, 'decide', violation);
    await appeal(person);
    const left = await open(grace, path);
    expect(actionsOf(left)).toEqual(['notes']);
    expect(left.text).toContain('another operator must rule on the appeal');
    const claimed = await send(hedy, path, 'claim');
    expect(claimed.text).toContain('They are lamps of my own.');
    // A form that the page does not show is refused all the same.
    const ruling = claimed.forms.find(({ action }) => action === `${path}/appeal/uphold`)!;
    const own = await open(grace, path);
    const { form = '' } = own.forms[0]?.fields ?? {};
    const refused = await grace.browser.submit(own, { ...ruling, fields: { form } }, { reason: 'x' });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('not_owner')]);
    const ruled = await send(hedy, path, 'appeal/overturn', { reason: 'no spam', notice: 'Excuse us.' });
    expect(ruled.text).toContain('The decision is overturned.');
    expect((await reporter.get(`/api/posts/${postId}`)).status).toBe(200);
    const [, account] = await person.openAccount();
    expect(account.text).toContain('<blockquote>Excuse us.</blockquote>');
  });
});
