/** Texts that are not public are shown by recorded acts alone. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { enrollInConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { enrollOperator } from '../support/operators.js';
import { describeOnTerminal, runOnTerminal } from '../support/terminal.js';
import { until } from '../support/until.js';

const TEXT = 'a claim that nobody may read';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;
let auditor: { readonly operatorId: string; readonly token: string };

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network);
  [alice, bob] = (await Promise.all(
    [1, 2].map(() => personWithToken(network, application, 'openid read post:create post:edit post:delete')),
  )) as [SignedIn, SignedIn];
  auditor = await enrollOperator(operatorOf(network), ['auditor']);
});

afterAll(() => network?.stop());

interface Entry {
  readonly eventId: string;
  readonly type: string;
  readonly text?: string;
  readonly undisclosed?: boolean;
}

const plaza = (args: readonly string[], token = auditor.token) =>
  runPlaza(args, { ...network.env, OPERATOR_TOKEN: token });

async function lines<Line = Entry>(args: readonly string[], token?: string): Promise<Line[]> {
  const { code, stdout, stderr } = await plaza(args, token);
  expect([code, stderr.replaceAll(/^the audit is behind the log .*\n/gm, '')]).toEqual([0, '']);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

const audit = (...args: string[]) => lines(['audit', '--wait', ...args]);

/** A post with a former and a last text, which its author deleted. */
async function deletedPost(): Promise<string> {
  const { body } = await alice.say(`${TEXT}, first`);
  const path = `/api/posts/${body.post.id}`;
  await alice.patch(path, { intentId: randomUUID(), revision: 1, text: TEXT });
  await alice.delete(`${path}?intentId=${randomUUID()}&revision=2`);
  return String(body.post.id);
}

const consolePage = (user: ConsoleUser, path: string) =>
  user.browser.open(`${readConfig(network.env).operatorBaseUrl}${path}`);

const auditorInConsole = () =>
  enrollInConsole(readConfig(network.env).operatorBaseUrl, operatorOf(network), ['auditor']);

it('the audit shows the roles that an operator was given and has', async () => {
  const { operatorId } = await enrollOperator(operatorOf(network), ['viewer']);
  await operatorOf(network).post('operators/:id/roles', {
    id: operatorId,
    roles: ['moderator', 'viewer'],
    reason: 'a new task',
  });
  const given = await audit('type:operator.invited', 'type:operator.roles_changed', '--limit', '2');
  expect(given.map(({ type, text }) => [type, text])).toEqual([
    ['operator.roles_changed', 'roles: viewer, moderator'],
    ['operator.invited', 'roles: viewer'],
  ]);
});

it('the audit shows what was searched by an export that was taken away', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plaza-searched-'));
  try {
    const q = `actor:${alice.actorId}`;
    expect((await plaza(['export', 'audit', join(dir, 'of-alice'), q])).code).toBe(0);
    expect((await plaza(['export', 'audit', join(dir, 'of-all')])).code).toBe(0);
    const exports = await audit('type:audit.exported', `operator:${auditor.operatorId}`);
    expect(exports.map(({ text }) => text)).toEqual(['search: everything', `search: ${q}`]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

describe('a text', () => {
  it('is shown while anybody can read it, and its former versions are not', async () => {
    const { body } = await alice.say('the first words');
    const id = String(body.post.id);
    await alice.patch(`/api/posts/${id}`, { intentId: randomUUID(), revision: 1, text: 'the last words' });
    // The searches themselves are looks at the post.
    const shown = async () =>
      (await audit('--post', id))
        .filter(({ type }) => type !== 'look.recorded')
        .map(({ text, undisclosed }) => text ?? undisclosed);
    expect(await shown()).toEqual(['the last words', true]);
    await operatorOf(network).post('posts/:id/restrict', { id, reason: 'a test' });
    expect(await shown()).toEqual([undefined, true, true]);
    await operatorOf(network).post('posts/:id/unrestrict', { id, reason: 'a test' });
    expect(await shown()).toEqual([undefined, undefined, 'the last words', true]);
    await operatorOf(network).post('accounts/:id/suspend', { id: alice.actorId, reason: 'a test' });
    expect((await audit('--post', id)).map(({ text }) => text)).toEqual(Array(4).fill(undefined));
    await operatorOf(network).post('accounts/:id/reinstate', { id: alice.actorId, reason: 'a test' });
  });

  it('is in the dossier of its post while anybody can read it', async () => {
    const user = await auditorInConsole();
    const { body } = await alice.say('a <b>bold</b> claim');
    const path = `/console/posts/${body.post.id}`;
    const shown = async () =>
      (await consolePage(user, path)).text.includes('a &lt;b&gt;bold&lt;/b&gt; claim');
    await until(shown);
    await operatorOf(network).post('posts/:id/restrict', { id: String(body.post.id), reason: 'a test' });
    expect(await shown()).toBe(false);
    await operatorOf(network).post('posts/:id/unrestrict', { id: String(body.post.id), reason: 'a test' });
    await until(shown);
    await operatorOf(network).post('accounts/:id/suspend', { id: alice.actorId, reason: 'a test' });
    expect(await shown()).toBe(false);
    await operatorOf(network).post('accounts/:id/reinstate', { id: alice.actorId, reason: 'a test' });
  });

  it('of a deleted post is in no output, until it is disclosed', async () => {
    const id = await deletedPost();
    const outputs = await Promise.all(
      [[], ['--json'], ['--csv']].map((form) => plaza(['audit', '--wait', '--post', id, ...form])),
    );
    for (const { code, stdout, stderr } of outputs) {
      expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('post.created')]);
      expect(stdout + stderr).not.toContain(TEXT);
    }
    const user = await auditorInConsole();
    const page = await consolePage(user, `/console/posts/${id}`);
    expect(page.text).not.toContain(TEXT);
    const form = page.forms.find(({ action }) => action === '/console/texts/disclose');
    const created = (await audit('--post', id, 'type:post.created'))[0];
    const answer = await user.browser.submit(page, form!, {
      eventIds: created?.eventId ?? '',
      reason: 'case 7',
    });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`${TEXT}, first`)]);
    // No redirect: the text is in this answer alone.
    expect(answer.url.pathname).toBe('/console/texts/disclose');
    const others = await Promise.all(
      [`/console/posts/${id}`, `/console/audit?q=post:${id}`].map((path) => consolePage(user, path)),
    );
    for (const { text, forms } of others) {
      expect(text).not.toContain(TEXT);
      expect(text).toContain(created?.eventId);
      expect(forms.map(({ action }) => action)).toContain('/console/texts/disclose');
    }
  });

  it('is disclosed to one operator, under a reason, and the disclosure is found', async () => {
    const id = await deletedPost();
    const events = (await audit('--post', id)).filter(({ undisclosed }) => undisclosed);
    expect(events.map(({ type }) => type)).toEqual(['post.edited', 'post.created']);
    const ids = events.map(({ eventId }) => eventId);
    const disclosed = await lines<{ texts: { text: string } }>(['disclose', ...ids, '--reason', 'case 8']);
    expect(disclosed.map(({ texts }) => texts.text)).toEqual([TEXT, `${TEXT}, first`]);
    for (const about of [`post:${id}`, `actor:${alice.actorId}`, `operator:${auditor.operatorId}`]) {
      const found = await audit(about, 'type:text.disclosed', '--limit', '2');
      expect(found).toMatchObject(
        ids.toReversed().map((eventId) => ({
          operatorId: auditor.operatorId,
          reason: 'case 8',
          subject: { eventId, postId: id, actorId: alice.actorId },
        })),
      );
    }
    const second = await enrollOperator(operatorOf(network), ['moderator']);
    for (const token of [auditor.token, second.token])
      expect(JSON.stringify(await lines(['audit', '--post', id], token))).not.toContain(TEXT);
    const viewer = await enrollOperator(operatorOf(network), ['viewer']);
    const refused = await plaza(['disclose', ...ids, '--reason', 'curious'], viewer.token);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('capability_required');
  });

  it('of a profile and an e-mail address is disclosed, too', async () => {
    const [registered] = await audit(`actor:${bob.actorId}`, 'type:account.registered');
    expect(registered).toMatchObject({ undisclosed: true });
    const [disclosed] = await lines<{ texts: object }>([
      'disclose',
      registered?.eventId ?? '',
      '--reason',
      'a court order',
    ]);
    expect(disclosed?.texts).toMatchObject({ email: expect.stringContaining('@') });
  });

  it('is refused if no event has it', async () => {
    const [founded] = await audit('type:network.founded');
    const ids = [randomUUID(), founded?.eventId ?? '', 'no-id'];
    const refused = await Promise.all(ids.map((id) => plaza(['disclose', id, '--reason', 'a test'])));
    expect(refused.map(({ code, stdout, stderr }) => [code, stdout, /\((\w+)\)/.exec(stderr)?.[1]])).toEqual([
      [1, '', 'not_found'],
      [2, '', 'invalid_request'],
      [2, '', 'invalid_request'],
    ]);
    const many = Array.from({ length: 51 }, () => randomUUID());
    expect((await plaza(['disclose', ...many, '--reason', 'a test'])).stderr).toContain('at most 50 events');
    expect((await plaza(['disclose', randomUUID(), '--reason', ''])).stderr).toContain('reason (--reason)');
  });

  it('is not disclosed while the log does not answer', async () => {
    const id = await deletedPost();
    const [created] = await audit('--post', id, 'type:post.created');
    const eventStore = network.pids().eventStore ?? 0;
    process.kill(eventStore, 'SIGSTOP');
    try {
      const refused = await plaza(['disclose', created?.eventId ?? '', '--reason', 'a test']);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        1,
        '',
        expect.not.stringContaining(TEXT),
      ]);
      expect(refused.stderr).toContain('domain_storage_unavailable');
    } finally {
      process.kill(eventStore, 'SIGCONT');
    }
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);
  });

  it('of an erased person stays unreadable', async () => {
    const { body } = await bob.say('soon erased');
    const vault = new Client({ connectionString: network.env['VAULT_DATABASE_URL'] });
    await vault.connect();
    await vault.query('UPDATE person_key SET key = NULL, destroyed_at = now() WHERE person_id = $1', [
      bob.actorId,
    ]);
    await vault.end();
    await network.restart();
    const [created] = await audit('--post', String(body.post.id), 'type:post.created');
    expect(created).toMatchObject({ erased: true });
    expect(created).not.toHaveProperty('text');
    const [disclosed] = await lines(['disclose', created?.eventId ?? '', '--reason', 'a test']);
    expect(disclosed).toMatchObject({ erased: true, texts: {} });
  });
});

describeOnTerminal('a text, on a terminal', () => {
  it('is disclosed by the command that the table of the audit names', async () => {
    const id = await deletedPost();
    const [created] = await audit('--post', id, 'type:post.created');
    const env = { ...network.env, OPERATOR_TOKEN: auditor.token };
    const table = await runOnTerminal(['audit', '--post', id], env);
    const command = `plaza disclose ${created?.eventId}`;
    expect(table.lines.filter((line) => line.includes(command))).toHaveLength(1);
    expect(table.lines.join('\n')).not.toContain(TEXT);
    const disclosed = await runOnTerminal([...command.split(' ').slice(1), '--reason', 'a test'], env);
    expect(disclosed.lines).toEqual([
      expect.stringMatching(
        `post.created  of Person (\\w+) @\\1 \\(${alice.actorId}\\)  \\(${created?.eventId}\\)$`,
      ),
      `  text: ${TEXT}, first`,
      '  mentions: []',
    ]);
  });
});
