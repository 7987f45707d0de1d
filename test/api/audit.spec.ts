/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import type { EventLog } from '../../src/log/event-log.js';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { enrollInConsole } from '../support/console.js';
import { newModerator } from '../support/moderators.js';
import { enrollOperator, someName } from '../support/operators.js';
import { looksOf } from '../support/looks.js';
import { openLogOf } from '../support/network-log.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { describeOnTerminal, runOnTerminal } from '../support/terminal.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  await signInAlice();
  bob = await signIn(network, await registerApplication(network));
});

afterAll(() => network?.stop());

/** Another person each time. An access token lives for five minutes, and this file may take longer. */
async function signInAlice(): Promise<void> {
  const scope = 'openid read post:create post:edit post:delete';
  alice = await signIn(network, await registerApplication(network), scope);
}

interface Entry {
  readonly type: string;
  readonly at: number;
  readonly position: number;
  readonly eventId: string;
  readonly requestId: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly undisclosed?: boolean;
  readonly cursor?: string;
}

const entriesIn = (stdout: string): Entry[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** The specs of this network write while others read: what is said of that is no fault. */
const withoutLagNotice = (stderr: string): string =>
  stderr.replaceAll(/^the audit is behind the log .*\n/gm, '');

/** The entries that `plaza audit --wait` prints, one on each line. */
async function audit(...args: string[]): Promise<Entry[]> {
  const { code, stdout, stderr } = await runPlaza(['audit', '--wait', ...args], network.env);
  expect([code, withoutLagNotice(stderr)]).toEqual([0, '']);
  return entriesIn(stdout);
}

it('plaza audit escapes control characters in the texts of people', async () => {
  const text = 'over\u202etxt.exe \u2066\u200b';
  const id = String((await alice.say(text)).body.post.id);
  const { stdout } = await runPlaza(['audit', '--post', id, '--wait'], network.env);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  expect((JSON.parse(stdout) as Entry).text).toBe(text);
});

/** Resolves when the log has an export of this operator. */
async function exportBy(log: EventLog, operatorId: string): Promise<void> {
  const stop = new AbortController();
  const options = {
    after: undefined,
    types: ['audit.exported'],
    batchSize: 500,
    signal: stop.signal,
  } as const;
  for await (const { events } of log.subscribe(options))
    if (events.some(({ metadata }) => metadata.operatorId === operatorId)) break;
  stop.abort();
}

const typesIn = (entries: readonly Entry[]) => entries.map(({ type }) => type);

describe('plaza audit', () => {
  it('names the author, the application, the request and the text of a post', async () => {
    const { body } = await alice.post(
      '/api/posts',
      { intentId: randomUUID(), text: 'as it was', audience: 'public' },
      { 'x-request-id': 'pebble-1' },
    );
    const id = String(body.post.id);
    const session = await alice.get('/api/session');
    expect(await audit('--post', id)).toEqual([
      {
        position: expect.any(Number),
        at: expect.any(Number),
        type: 'post.created',
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        stream: `post-${id}`,
        revision: 0,
        subject: { postId: id, authorActorId: alice.actorId, appId: alice.appId },
        actorId: alice.actorId,
        appId: alice.appId,
        grantId: session.body.grantId,
        intentId: expect.any(String),
        requestId: expect.any(String),
        clientRequestId: 'pebble-1',
        addressClass: 'loopback',
        operatorId: null,
        operator: null,
        reason: null,
        cause: null,
        text: 'as it was',
      },
    ]);
  });

  it('lists every version of a post, also of a deleted one, newest first', async () => {
    const { body } = await alice.say('first');
    const path = `/api/posts/${body.post.id}`;
    await alice.patch(path, { intentId: randomUUID(), revision: 1, text: 'second' });
    await alice.delete(`${path}?intentId=${randomUUID()}&revision=2`);
    const history = await audit('--post', body.post.id);
    expect(history.map(({ type, undisclosed }) => [type, undisclosed])).toEqual([
      ['post.deleted', undefined],
      ['post.edited', true],
      ['post.created', true],
    ]);
    const without = await audit('--post', body.post.id, '--no-texts');
    expect(without.map(({ undisclosed }) => undisclosed)).toEqual([undefined, undefined, undefined]);
  });

  it('names the operator and the reason of an act', async () => {
    await operatorOf(network).post('accounts/:id/suspend', { id: bob.actorId, reason: 'a flood' });
    const [suspended] = await audit('--actor', bob.actorId, '--limit', '1');
    expect(suspended).toMatchObject({
      type: 'account.suspended',
      operatorId: 'shared-token',
      operator: 'test',
      reason: 'a flood',
    });
    await operatorOf(network).post('accounts/:id/reinstate', { id: bob.actorId, reason: 'over' });
    expect(typesIn(await audit('claimed:test', 'type:account.*', `actor:${bob.actorId}`))).toEqual([
      'account.reinstated',
      'account.suspended',
      'account.registered',
    ]);
  });

  it('finds an act by its intent and by the id of its request, whichever of the two', async () => {
    const intentId = randomUUID();
    const { headers } = await alice.say('by request', { intentId });
    const publicId = headers.get('x-request-id') ?? '';
    const [byIntent] = await audit('--intent', intentId);
    expect(byIntent).toMatchObject({ text: 'by request', clientRequestId: publicId });
    expect(byIntent?.requestId).not.toBe(publicId);
    expect(await audit(`request:${publicId}`)).toEqual([byIntent]);
    expect(await audit('--request', byIntent?.requestId ?? '')).toEqual([byIntent]);
  });

  it('is a look at the person or request that it is narrowed to, also as CSV, once in an hour', async () => {
    const auditor = await enrollOperator(operatorOf(network), ['auditor']);
    const asAuditor = (...args: string[]) =>
      runPlaza(['audit', '--wait', ...args], { ...network.env, OPERATOR_TOKEN: auditor.token });
    const { headers } = await alice.say('looked up');
    const request = `request:${headers.get('x-request-id')}`;
    const [found] = await audit(request);
    for (const args of [
      ['--csv', `actor:${bob.actorId}`],
      [`actor:${bob.actorId}`, 'type:post.*'],
      [request],
      [request],
    ])
      expect((await asAuditor(...args)).code).toBe(0);
    const looks = await audit('type:look.recorded', `operator:${auditor.operatorId}`);
    const { operatorId } = auditor;
    expect(looks.map(({ subject }) => subject)).toEqual([
      { operatorId, eventId: found?.eventId, actorId: alice.actorId },
      { operatorId, actorId: bob.actorId },
    ]);
    expect(await audit('type:look.recorded', `actor:${bob.actorId}`)).toContainEqual(looks[1]);
  });

  it('is a look at each person whose events a shared id of a request has', async () => {
    const auditor = await enrollOperator(operatorOf(network), ['auditor']);
    const env = { ...network.env, OPERATOR_TOKEN: auditor.token };
    const cleo = await signIn(network, await registerApplication(network));
    const id = `shared-${randomUUID()}`;
    for (const person of [alice, cleo])
      await person.post(
        '/api/posts',
        { intentId: id, text: 'shared', audience: 'public' },
        { 'x-request-id': id },
      );
    const [ofCleo, ofAlice] = await audit(`request:${id}`);
    const looks = () => audit('type:look.recorded', `operator:${auditor.operatorId}`);
    const since = `since:${new Date(ofCleo?.at ?? 0).toISOString()}`;
    expect((await runPlaza(['audit', `intent:${id}`, since], env)).code).toBe(0);
    const { operatorId } = auditor;
    const atCleo = { operatorId, eventId: ofCleo?.eventId, actorId: cleo.actorId };
    expect((await looks()).map(({ subject }) => subject)).toEqual([atCleo]);
    expect((await runPlaza(['audit', `request:${id}`], env)).code).toBe(0);
    const subjects = (await looks()).map(({ subject }) => subject);
    expect(subjects).toHaveLength(2);
    expect(subjects).toContainEqual({ operatorId, eventId: ofAlice?.eventId, actorId: alice.actorId });
  });

  it('is a look at all whom a signed export shows, also while the audit is behind', async () => {
    const { operatorId, token } = await enrollOperator(operatorOf(network), ['auditor']);
    const cleo = await signIn(network, await registerApplication(network));
    const id = `behind-${randomUUID()}`;
    const says = (person: SignedIn) =>
      person.post(
        '/api/posts',
        { intentId: randomUUID(), text: 'late', audience: 'public' },
        { 'x-request-id': id },
      );
    await says(alice);
    await audit(`request:${id}`);
    const postgres = new Client({ connectionString: network.env['DATABASE_URL'] });
    await postgres.connect();
    const opened = await openLogOf(network);
    try {
      await postgres.query('BEGIN; LOCK TABLE audit.event IN SHARE MODE');
      await says(cleo);
      const exported = fetch(
        `http://127.0.0.1:${network.env['OPERATOR_PORT']}/operator/audit/export?q=request:${id}`,
        { headers: { authorization: `Bearer ${token}` } },
      );
      await exportBy(opened.log, operatorId);
      await postgres.query('ROLLBACK');
      const lines = (await (await exported).text()).trimEnd().split('\n').slice(0, -1);
      const shown = lines.map((line) => (JSON.parse(line) as { actorId: string }).actorId);
      expect(shown).toEqual([alice.actorId, cleo.actorId]);
      const looks = await looksOf(opened.log, operatorId);
      expect(new Set(looks.map(({ actorId }) => actorId))).toEqual(new Set(shown));
    } finally {
      await postgres.end();
      await opened.close();
    }
  });

  it('reads all pages, newest first, and prints each event once', async () => {
    for (let n = 0; n < 120; n++) await alice.say(`number ${n}`);
    const entries = await audit('--actor', alice.actorId, '--app', alice.appId);
    const texts = entries.flatMap(({ text }) => (text?.startsWith('number ') ? [text] : []));
    expect(texts).toEqual(Array.from({ length: 120 }, (_, n) => `number ${119 - n}`));
    expect(new Set(entries.map(({ position }) => position)).size).toBe(entries.length);
    expect(await audit('--actor', alice.actorId, '--app', alice.appId, '--limit', '110')).toEqual(
      entries.slice(0, 110),
    );
  });

  it('leaves out excluded types', async () => {
    const types = typesIn(
      await audit(`app:${alice.appId}`, '-type:post.*', '-type:application.registered', '-type:look.*'),
    );
    expect(new Set(types)).toEqual(new Set(['account.signed_in', 'grant.issued']));
  });

  it('begins at the time of --since, ends before that of --until, and has all without them', async () => {
    const all = await audit();
    expect(typesIn(all)).toEqual(expect.arrayContaining(['network.founded', 'application.registered']));
    const at = new Date(all[100]?.at ?? 0).toISOString();
    const [later, earlier] = [await audit('--since', at), await audit('--until', at)];
    expect([...later, ...earlier]).toEqual(all);
    expect([later.length > 0, earlier.length > 0]).toEqual([true, true]);
    expect(await audit('since:1h', '--actor', alice.actorId)).not.toEqual([]);
    expect(await audit('--since', new Date(Date.now() + 60_000).toISOString())).toEqual([]);
  });

  it('lists the acts under a grant [credentials-bound]', async () => {
    const { body } = await bob.get('/api/session');
    await bob.say('under a grant');
    expect(typesIn(await audit('--grant', body.grantId))).toEqual(['post.created', 'grant.issued']);
  });

  it('prints CSV', async () => {
    const { body } = await alice.say('=1+1, "quoted"\nsecond line');
    const { stdout } = await runPlaza(['audit', '--csv', '--wait', `post:${body.post.id}`], network.env);
    const [head, row] = stdout.split('\r\n');
    expect(head).toMatch(/^time,type,actorId,/);
    expect(row).toContain(`,post.created,${alice.actorId},`);
    expect(row).toContain(`,"'=1+1, ""quoted""\nsecond line",`);
  });

  it.each([
    [['--post', 'no post!'], 'post: must be an identifier of the network.'],
    [['aktor:bob'], 'There is no filter aktor:. Did you mean actor:?'],
    [['--limit', '0'], 'It must be a whole number from 1 to 999999999.'],
    [['--follow', '--csv'], 'cannot be used with'],
    [['--after', '0'], '--after goes with --follow'],
  ])('refuses %j as wrong usage', async (args, said) => {
    const { code, stdout, stderr } = await runPlaza(['audit', ...args], network.env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(said);
  });

  it.each(['?limit=1000', '?q=since:yesterday', '?before=-1', '?q=a&q=b', '/follow?after=1', '?nonsense=1'])(
    'refuses the query %s at its address',
    async (query) => {
      const authorization = `Bearer ${network.operatorToken}`;
      const operatorUrl = `http://127.0.0.1:${network.env['OPERATOR_PORT']}`;
      const answer = await fetch(`${operatorUrl}/operator/audit${query}`, { headers: { authorization } });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: expect.any(String), message: expect.any(String) },
      ]);
    },
  );

  it('ends silently when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [plaza, 'audit'], { env: environment(network.env), stdio: 'pipe' });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number];
    expect([code, withoutLagNotice(stderr)]).toEqual([0, '']);
  });
});

describeOnTerminal('plaza audit on a terminal', () => {
  it('prints the newest events as a table with the names of author and application', async () => {
    const { body } = await alice.say('for a table');
    const { lines } = await runOnTerminal(['audit', '--wait', `post:${body.post.id}`], network.env);
    const rows = lines.filter((line) => !line.startsWith('the audit is behind'));
    const { handle, displayName } = (await alice.get('/api/profile')).body.profile;
    expect(rows[0]).toMatch(/^TIME +WHO +WHAT +ABOUT +THROUGH, WHY$/);
    expect(rows[1]?.split(/ {2,}/).slice(1)).toEqual([
      `${displayName} @${handle} (${alice.actorId})`,
      'published the post',
      `post ${body.post.id}`,
      'Pebble: “for a table”',
    ]);
  });

  it('says that there are more', async () => {
    const { lines } = await runOnTerminal(['audit', '--limit', '2'], network.env);
    expect(lines.join('\n')).toContain('these are the newest 2; --limit shows more');
  });
});

describe('plaza app impact', () => {
  it('counts what was done through an application', async () => {
    const application = await registerApplication(network, 'Flood');
    const cleo = await signIn(network, application, 'openid read post:create relation:write');
    await cleo.say('one');
    await cleo.say('two');
    await cleo.put(`/api/relations/follow/${alice.actorId}`, { intentId: randomUUID() });
    await audit('--limit', '1');
    const { stdout } = await runPlaza(['app', 'impact', application.clientId, '--json'], network.env);
    const impact = JSON.parse(stdout) as { hours: { hour: number }[] };
    expect(impact).toMatchObject({
      actors: 1,
      acts: {
        'account.signed_in': 1,
        'grant.issued': 1,
        'post.created': 2,
        'relation.established (follow)': 1,
      },
      mostActive: [{ actorId: cleo.actorId, events: 5 }],
    });
    const lines = (await runPlaza(['app', 'impact', application.clientId], network.env)).stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'actors  1',
      expect.stringMatching(/^hours {3}/),
      'EVENTS  MOST ACTIVE',
      `5       ${cleo.actorId}`,
    ]);
    expect(lines.find((line) => line.startsWith('HOUR'))).toMatch(
      /^HOUR +ACTORS +POSTS +FOLLOWS +LIKES +GRANTS +OTHER$/,
    );
    const later = ['--since', new Date(Date.now() + 3_600_000).toISOString()];
    const none = await runPlaza(['app', 'impact', application.clientId, ...later], network.env);
    expect(none.stdout).toBe('nothing was done through this application\n');
  });
});

describe('a name in a search', () => {
  const first = someName('Ångström');
  const appName = someName('Œuvre');
  let handle: string;
  let operatorId: string;
  let appId: string;

  beforeAll(async () => {
    await signInAlice();
    handle = String((await alice.get('/api/profile')).body.profile.handle);
    appId = (await registerApplication(network, appName)).clientId;
    ({ operatorId } = await newModerator(network, 'moderator', first));
  });

  /** The search as the network resolved it. */
  async function resolved(
    q: string,
    path = '',
  ): Promise<{ readonly status: number; readonly q?: string; readonly error?: string }> {
    const authorization = `Bearer ${network.operatorToken}`;
    const query = new URLSearchParams({ q, limit: '1' });
    const address = `http://127.0.0.1:${network.env['OPERATOR_PORT']}/operator/audit${path}?${query.toString()}`;
    const answer = await fetch(address, { headers: { authorization } });
    return { status: answer.status, ...((await answer.json()) as { q?: string; error?: string }) };
  }

  it('finds the events of its id, which the next page has in its place', async () => {
    expect(typesIn(await audit('--actor', handle, 'type:account.registered'))).toEqual([
      'account.registered',
    ]);
    const typed = `actor:@${handle} app:"${appName}" operator:"${first.toUpperCase()}" actor:${alice.actorId}`;
    for (const path of ['', '/follow'])
      expect(await resolved(typed, path)).toMatchObject({
        status: 200,
        q: `actor:${alice.actorId} app:${appId} operator:${operatorId}`,
      });
  });

  it('that is an id of the network is that, unless it says that it is a handle', async () => {
    const other = await operatorOf(network).post('accounts', {
      handle: `x${handle.slice(1)}`,
      displayName: 'X',
      email: `x${handle}@example.org`,
      password: 'correct horse battery',
    });
    expect(await resolved(`actor:x${handle.slice(1)}`)).toMatchObject({ q: `actor:${other.actorId}` });
    expect(await resolved(`actor:@${alice.actorId}`)).toMatchObject({ status: 400 });
    expect(await resolved('operator:shared-token')).toMatchObject({ q: 'operator:shared-token' });
  });

  it.each([
    ['actor:nobody_here', 'actor: nobody has the id or present handle “nobody_here”'],
    ['operator:Nobody', 'operator: no operator has the id or name “Nobody”'],
    ['app:Nothing', 'app: no application has the id or name “Nothing”'],
    ['post:nobody_wrote_this', 'post: there is no post “nobody_wrote_this”'],
    ['grant:no_grant', 'grant: there is no grant “no_grant”'],
    ['claimed:nobody', 'claimed: nobody claimed the name “nobody”'],
    ['reason:"no such reason"', 'reason: no recorded reason is that'],
    ['reason:"no such*"', 'reason: no recorded reason begins so'],
  ])('that nothing has is refused: %s', async (term, said) => {
    const answer = await resolved(term);
    expect(answer).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(JSON.stringify(answer)).toContain(JSON.stringify(said).slice(1, -1));
  });

  it('that nobody has is refused by every command as wrong usage', async () => {
    const to = join(tmpdir(), randomUUID());
    for (const command of [['audit'], ['audit', '--follow'], ['export', 'audit', to]]) {
      const { code, stdout, stderr } = await runPlaza([...command, 'actor:@nobody_here'], network.env);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('actor: nobody has the id or present handle “@nobody_here”');
    }
    expect(existsSync(to)).toBe(false);
  });

  it('that several have is refused with their ids', async () => {
    const twin = await registerApplication(network, appName.toLowerCase());
    const { code, stderr } = await runPlaza(['audit', `app:"${appName}"`], network.env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('several have the name')]);
    for (const id of [appId, twin.clientId]) expect(stderr).toContain(id);
  });

  it('of somebody erased finds nobody', async () => {
    const gone = { handle: `g${handle.slice(1)}`, displayName: 'G', email: `g${handle}@example.org` };
    const { actorId } = await operatorOf(network).post('accounts', {
      ...gone,
      password: 'correct horse battery',
    });
    await operatorOf(network).post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'a test' });
    expect(await resolved(`actor:@${gone.handle}`)).toMatchObject({ status: 400 });
    expect(await resolved(`actor:${actorId}`)).toMatchObject({ status: 200 });
  });

  it('finds acts by their reason, whole or by its begin', async () => {
    const why = `order ${randomUUID()}`;
    await operatorOf(network).post('accounts/:id/suspend', { id: bob.actorId, reason: `${why} a` });
    await operatorOf(network).post('accounts/:id/reinstate', { id: bob.actorId, reason: `${why} b` });
    expect(typesIn(await audit(`reason:"${why}*"`))).toEqual(['account.reinstated', 'account.suspended']);
    expect(typesIn(await audit(`reason:"${why} a"`))).toEqual(['account.suspended']);
  });
});

describe('who acted', () => {
  it('is the identified operator, and a claimed name of another frames nobody', async () => {
    const url = readConfig(network.env).operatorBaseUrl;
    const names = [someName('Mallory'), someName('Victim'), someName('Ida')] as const;
    const [mallory, victim] = [
      await newModerator(network, 'moderator', names[0]),
      await newModerator(network, 'moderator', names[1]),
    ];
    const ida = await enrollInConsole(url, operatorOf(network), ['moderator', 'auditor'], names[2]);
    const cleo = await signIn(network, await registerApplication(network));
    const { code } = await runPlaza(
      ['account', 'suspend', cleo.actorId, '--reason', 'spam', '--as', victim.operatorId],
      mallory.env,
    );
    expect(code).toBe(0);
    await operatorOf(network).post('accounts/:id/reinstate', { id: cleo.actorId, reason: 'an error' });
    const one = `/console/accounts/${cleo.actorId}`;
    const page = await ida.browser.open(url + one);
    await ida.browser.submit(
      page,
      page.forms.find(({ action }) => action === `${one}/suspend`)!,
      {
        reason: 'spam after all',
      },
    );
    await audit('--limit', '1');
    const { text } = await ida.browser.open(url + one);
    const shown = text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    expect(shown).toContain(
      `${names[0]} ${mallory.operatorId} (says: ${victim.operatorId}) suspended the account of`,
    );
    expect(shown).toContain('shared token shared-token (says: test) reinstated the account of');
    expect(shown).toMatch(new RegExp(`${names[2]} \\S+ suspended the account of .+? why: spam after all`));
    expect(shown).not.toContain(names[1]);

    const about = `actor:${cleo.actorId}`;
    expect(await audit(`operator:${victim.operatorId}`, about)).toEqual([]);
    expect(typesIn(await audit(`claimed:${victim.operatorId}`, about))).toEqual(['account.suspended']);
  });
});

describe('plaza audit --follow', () => {
  beforeAll(signInAlice);

  /** Follows until `enough` accepts the printed entries, then ends the command. */
  async function follow(
    args: readonly string[],
    started: (printed: () => readonly Entry[]) => Promise<unknown>,
    enough: (entries: readonly Entry[]) => boolean,
  ): Promise<readonly Entry[]> {
    const child = spawn(process.execPath, [plaza, 'audit', '--follow', ...args], {
      env: environment(network.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const entries = () => entriesIn(stdout.slice(0, stdout.lastIndexOf('\n') + 1));
    try {
      const [result] = await Promise.all([until(() => enough(entries()) && entries()), started(entries)]);
      return result;
    } finally {
      child.kill('SIGTERM');
      await closed;
    }
  }

  let cursor: string | undefined;

  it('prints events as they happen, in the order of the log', async () => {
    const before = (await audit('--limit', '1'))[0];
    const since = new Date(before?.at ?? 0).toISOString();
    const speak = async () => {
      await alice.say('followed 1');
      await alice.say('followed 2');
    };
    const entries = await follow(
      [`actor:${alice.actorId}`, 'type:post.created', `since:${since}`],
      speak,
      (printed) => printed.some(({ text }) => text === 'followed 2'),
    );
    expect(entries.map(({ text }) => text).slice(-2)).toEqual(['followed 1', 'followed 2']);
    expect(entries.map(({ position }) => position)).toEqual(
      entries.map(({ position }) => position).toSorted((a, b) => a - b),
    );
    cursor = entries.at(-2)?.cursor;
  });

  it('goes on after a cursor, and through a restart of the network', async () => {
    // A follower that never reached the network does not wait for it.
    const speak = async (printed: () => readonly Entry[]) => {
      await until(() => printed().length > 0);
      await network.restart();
      await alice.say('followed 3');
    };
    const wanted = [`actor:${alice.actorId}`, 'type:post.created', '--after', cursor ?? ''];
    const entries = await follow(wanted, speak, (printed) =>
      printed.some(({ text }) => text === 'followed 3'),
    );
    expect(entries.map(({ text }) => text)).toEqual(['followed 2', 'followed 3']);
  });

  it('refuses the cursor of an event that the log does not have', async () => {
    const gone = `${cursor?.split('.')[0]}.${randomUUID()}`;
    const { code, stderr } = await runPlaza(['audit', '--follow', '--after', gone], network.env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('the log was replaced. Begin again with since:.'),
    ]);
  });
});
