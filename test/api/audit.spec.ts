/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { describeOnTerminal, runOnTerminal } from '../support/terminal.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network);
  alice = await signIn(network, application, 'openid read post:create post:edit post:delete');
  bob = await signIn(network, application);
});

afterAll(() => network?.stop());

interface Entry {
  readonly type: string;
  readonly at: number;
  readonly position: number;
  readonly eventId: string;
  readonly requestId: string;
  readonly text?: string;
  readonly undisclosed?: boolean;
  readonly cursor?: string;
}

const entriesIn = (stdout: string): Entry[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** The entries that `plaza audit --wait` prints, one on each line. */
async function audit(...args: string[]): Promise<Entry[]> {
  const { code, stdout, stderr } = await runPlaza(['audit', '--wait', ...args], network.env);
  expect([code, stderr.replaceAll(/^the audit is behind the log .*\n/gm, '')]).toEqual([0, '']);
  return entriesIn(stdout);
}

it('plaza audit escapes control characters in the texts of people', async () => {
  const text = 'over\u202etxt.exe \u2066\u200b';
  const id = String((await alice.say(text)).body.post.id);
  const { stdout } = await runPlaza(['audit', '--post', id, '--wait'], network.env);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  expect((JSON.parse(stdout) as Entry).text).toBe(text);
});

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
    await operatorOf(network).setAccountState(bob.actorId, 'suspend', 'a flood');
    const [suspended] = await audit('--actor', bob.actorId, '--limit', '1');
    expect(suspended).toMatchObject({ type: 'account.suspended', operator: 'test', reason: 'a flood' });
    await operatorOf(network).setAccountState(bob.actorId, 'reinstate', 'over');
    expect(typesIn(await audit('operator:test', 'type:account.*', `actor:${bob.actorId}`))).toEqual([
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
    const types = typesIn(await audit(`app:${alice.appId}`, '-type:post.*', '-type:application.registered'));
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

  it('prints nothing for an unknown id', async () => {
    expect(await audit('--post', 'nobody_wrote_this')).toEqual([]);
  });

  it.each([
    [['--post', 'no post!'], 'post: must be an identifier of the network.'],
    [['aktor:bob'], 'There is no filter aktor:. Did you mean actor:?'],
    [['--limit', '0'], 'It must be a whole number from 1.'],
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
    expect([code, stderr]).toEqual([0, '']);
  });
});

describeOnTerminal('plaza audit on a terminal', () => {
  it('prints the newest events as a table with the name of the application', async () => {
    const { body } = await alice.say('for a table');
    const { lines } = await runOnTerminal(['audit', '--wait', `post:${body.post.id}`], network.env);
    const rows = lines.filter((line) => !line.startsWith('the audit is behind'));
    expect(rows[0]).toMatch(/^TIME +WHO +WHAT +ABOUT +THROUGH, WHY$/);
    expect(rows[1]?.split(/ {2,}/).slice(1)).toEqual([
      alice.actorId,
      'post.created',
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
    expect(lines[0]).toBe(`actors  1, most active: ${cleo.actorId} (5)`);
    expect(lines.find((line) => line.startsWith('HOUR'))).toMatch(
      /^HOUR +ACTORS +POSTS +FOLLOWS +LIKES +GRANTS +OTHER$/,
    );
    const later = ['--since', new Date(Date.now() + 3_600_000).toISOString()];
    const none = await runPlaza(['app', 'impact', application.clientId, ...later], network.env);
    expect(none.stdout).toBe('nothing was done through this application\n');
  });
});

describe('plaza audit --follow', () => {
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
