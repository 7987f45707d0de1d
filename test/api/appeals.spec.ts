/** Appeals from the account page to the outcome. Their rules: test/operator/cases.spec.ts. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CaseEffect } from '../../src/domain/case/events.js';
import { alertIn, noticeIn } from '../auth/support/account.js';
import { personWithPage } from '../support/account-visitor.js';
import type { PersonWithPage } from '../support/account-visitor.js';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { decide, newModerator, reportedPost, stateOf } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

const scope = 'openid read post:create report:create';

let network: SharedNetwork;
let application: Application;
let reader: SignedIn;
let reporter: PersonWithPage;
let grace: Moderator;
let hedy: Moderator;
let ivan: Moderator;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [reader, reporter, grace, hedy, ivan] = await Promise.all([
    personWithToken(network, application, scope),
    personWithPage(network, application, scope),
    newModerator(network),
    newModerator(network),
    newModerator(network),
  ]);
});

/** A person, and a decision of Grace about their post. */
async function decided(effects: readonly CaseEffect[] = ['restrict_post'], notice?: string) {
  const person = await personWithPage(network, application, scope);
  const postId = await createPost(person, 'buy my <b>lamps</b>');
  const caseId = await reportedPost(grace, reporter, postId, 'he always does');
  await decide(grace, caseId, effects, notice);
  return { person, postId, caseId };
}

/** Signs in and appeals, at the account page or at the appeal page. */
async function appeal(person: PersonWithPage, text = 'They are lamps of my own.') {
  const [visitor, page] = await person.openAccount();
  const form = page.url.endsWith('/appeal') ? '/appeal' : '/decisions';
  return [visitor, await visitor.submitTo(page, form, { appeal: text })] as const;
}

/** Hedy rules on the appeal that waits. */
async function overturn(caseId: string): Promise<void> {
  await hedy.client.post('cases/:id/claim', { id: caseId });
  await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'it is no spam' });
}

const isVisible = async (postId: string) => (await reader.get(`/api/posts/${postId}`)).status === 200;
/** The log has lifted the restriction: the read models follow. */
const untilVisible = (postId: string) => until(() => isVisible(postId));

describe('the account page', () => {
  it('shows a decision with its notice to the person, and takes one appeal', async () => {
    const { person, caseId } = await decided(['restrict_post'], 'No advertising.\nThank you.');
    const [visitor, page] = await person.openAccount();
    expect(page.text).toContain('your post was hidden');
    expect(page.text).toContain('<blockquote>No advertising.\nThank you.</blockquote>');
    expect(page.text).toContain('<blockquote>buy my &lt;b&gt;lamps&lt;/b&gt;</blockquote>');
    const filed = await visitor.submitTo(page, '/decisions', { appeal: 'They are\r\nmy own.' });
    expect(noticeIn(filed)).toContain('Your appeal is filed');
    expect(filed.text).toContain('<blockquote>They are\nmy own.</blockquote>');
    expect(filed.text).not.toContain('name="appeal"');
    const again = await visitor.submitTo(page, '/decisions', { appeal: 'Once more.' });
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('one appeal a decision')]);
    expect(await stateOf(grace, caseId)).toBe('appealed');
  });

  it.each([
    ['empty', ' '],
    ['too long', 'x'.repeat(2_001)],
    ['with a control character', 'a\u0007'],
  ])('refuses an appeal that is %s, and keeps what was typed', async (_what, text) => {
    const { person, caseId } = await decided();
    const [, refused] = await appeal(person, text);
    expect(refused.status).toBe(400);
    expect(alertIn(refused)).toMatch(/^Your text/);
    expect(refused.text).toContain(`\n${text}</textarea>`);
    expect(await stateOf(grace, caseId)).toBe('decided');
  });

  it('refuses an appeal by a form of another site or browser, and by another person', async () => {
    const { person, caseId } = await decided();
    const [visitor, page] = await person.openAccount();
    const [stranger] = await reporter.openAccount();
    const typed = { appeal: 'No.' };
    const answers = [
      await visitor.submitTo(page, '/decisions', typed, { origin: '' }),
      await visitor.submitTo(page, '/decisions', typed, { origin: 'https://evil.example' }),
      await visitor.submitTo(page, '/decisions', { ...typed, form: '' }),
      await stranger.submitTo(page, '/decisions', typed),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const own = await stranger.open(`${network.baseUrl}/api/auth/account`);
    const { fields = {} } = page.forms.find(({ action }) => action.endsWith('/decisions')) ?? {};
    const { form = '' } = own.forms[0]?.fields ?? {};
    const foreign = await stranger.submitTo(page, '/decisions', { ...fields, form, ...typed });
    expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('not_found')]);
    expect(await stateOf(grace, caseId)).toBe('decided');
  });

  it('shows the outcome to who reported, without the reasons', async () => {
    const { person, caseId } = await decided(['restrict_post'], 'No advertising.');
    const reports = async () => {
      const [, { text }] = await reporter.openAccount();
      return text;
    };
    expect(await reports()).toContain('The operators found a violation of the rules.');
    expect(await reports()).not.toContain('No advertising');
    await appeal(person, 'Mine alone.');
    await hedy.client.post('cases/:id/claim', { id: caseId });
    await hedy.client.post('cases/:id/appeal/overturn', {
      id: caseId,
      reason: 'it is no spam',
      notice: 'Excuse us.',
    });
    expect(await reports()).toContain('changed that decision after an appeal');
    for (const text of ['Mine alone', 'Excuse us', 'it is no spam'])
      expect(await reports()).not.toContain(text);
  });
});

describe('an appeal', () => {
  it('that is overturned by another undoes the effect, and the person reads it', async () => {
    const { person, postId, caseId } = await decided();
    await appeal(person);
    expect(await isVisible(postId)).toBe(false);
    const shown = (await hedy.client.post('cases/:id/claim', { id: caseId })).case!;
    expect(shown.history.find(({ type }) => type === 'case.appealed')?.text).toBe(
      'They are lamps of my own.',
    );
    expect(shown.post?.versions).toMatchObject([{ text: 'buy my <b>lamps</b>' }]);
    const ruled = await hedy.client.post('cases/:id/appeal/overturn', {
      id: caseId,
      reason: 'it is no spam',
      notice: 'Excuse us.',
    });
    expect(ruled).toEqual({ effects: 'finished' });
    await untilVisible(postId);
    const [, page] = await person.openAccount();
    expect(page.text).toContain('another operator changed the decision');
    expect(page.text).toContain('<blockquote>Excuse us.</blockquote>');
    await expect(hedy.client.post('cases/:id/appeal/uphold', { id: caseId, reason: 'x' })).rejects.toThrow(
      '(revision_conflict)',
    );
  });

  it('that is overturned leaves the effect that a later decision has, too, until that is overturned', async () => {
    const { person, postId, caseId } = await decided();
    await appeal(person);
    await hedy.client.post('cases/:id/reopen', { id: caseId, reason: 'look again' });
    await decide(ivan, caseId, ['restrict_post']);
    await overturn(caseId);
    expect(await isVisible(postId)).toBe(false);
    const [, page] = await person.openAccount();
    expect(page.text).toMatch(/Your post is still hidden,\s+by another decision about you/);
    await appeal(person, 'Nor are they spam today.');
    await overturn(caseId);
    await untilVisible(postId);
  });

  it('that is upheld keeps the effect', async () => {
    const { person, postId, caseId } = await decided();
    await appeal(person);
    const plaza = (...args: string[]) => runPlaza(['case', ...args], hedy.env);
    expect((await plaza('list', '--state', 'appealed', '--newest')).stdout).toContain(`"caseId":"${caseId}"`);
    await plaza('claim', caseId);
    const { stdout } = await plaza('appeal', 'uphold', caseId, '--reason', 'spam', '--notice', 'It is spam.');
    expect(stdout).toBe('the decision is upheld\n');
    expect(await isVisible(postId)).toBe(false);
    const [, page] = await person.openAccount();
    expect(page.text).toContain('another operator confirmed the decision');
  });
});

describe('a suspended person', () => {
  it('signs in to read why and to appeal, and is back after the appeal', async () => {
    const { person, caseId } = await decided(['restrict_post', 'suspend_actor'], 'You were warned.');
    const [visitor, page] = await person.openAccount();
    expect(page.url).toBe(`${network.baseUrl}/api/auth/account/appeal`);
    expect(page.text).toContain('your post was hidden, and your account was suspended');
    expect(page.text).toContain('You were warned.');
    const { fields = {} } = page.forms.find(({ action }) => action.endsWith('/appeal')) ?? {};
    const elsewhere = await visitor.request(`${network.baseUrl}/api/auth/account/password`, {
      method: 'POST',
      headers: { origin: network.baseUrl },
      body: new URLSearchParams(fields),
    });
    expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining('login_required')]);
    for (const headers of [{ origin: '' }, { origin: 'https://evil.example' }])
      expect((await visitor.submitTo(page, '/appeal', { appeal: 'No.' }, headers)).status).toBe(403);
    const forged = await visitor.submitTo(page, '/appeal', { appeal: 'No.', form: `x.${'A'.repeat(43)}` });
    expect(forged.status).toBe(403);

    const filed = await visitor.submitTo(page, '/appeal', { appeal: 'Nobody warned me.' });
    expect(noticeIn(filed)).toContain('Your appeal is filed');
    expect(filed.text).toContain('Nobody warned me.');
    await hedy.client.post('cases/:id/claim', { id: caseId });
    await hedy.client.post('cases/:id/appeal/overturn', { id: caseId, reason: 'nobody warned them' });
    expect((await person.get('/api/timeline')).status).toBe(200);
    const [, back] = await person.openAccount();
    expect(back.text).toContain('Applications with access');
  });
});
