import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { casesGroup } from '../../projections/cases/cases.projection.js';
import { auditGroup } from '../../projections/audit/audit.projection.js';
import { projectInline } from '../../projections/authority/authority.projection.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import type { RecoveryWatch } from '../../projections/incarnations/detect/recovery-watch.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { RestrictionProof } from '../../src/doors/api/admission/restriction-proof.js';
import { EventLog } from '../../src/log/event-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { some } from '../projections/support/recorded.js';
import { WorkerBench } from '../projections/support/worker.js';
import { enrollInConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { operatorClient } from '../support/operator-client.js';
import type { OperatorClient } from '../support/operator-client.js';
import { until } from '../support/until.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let bench: WorkerBench;
let operatorApi: { close(): Promise<void> };
let shared: OperatorClient;
let grace: ConsoleUser;
let url: string;

const watch = (): RecoveryWatch => network.app().get(RestrictionProof);

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  bench = WorkerBench.open(network.databaseUrl);
  bench.start(network.log());
  bench.startWithOwnTables(network.log(), auditGroup, 'audit');
  bench.startWithOwnTables(network.log(), casesGroup, 'cases');
  await until(() => bench.state());
  await watch().start();
  operatorApi = await startOperatorApi(network.app());
  shared = operatorClient(network.config);
  url = network.config.operatorBaseUrl;
  grace = await enrollInConsole(url, shared, ['moderator', 'auditor'], 'Grace');
});

afterAll(async () => {
  await operatorApi?.close();
  await watch().stop();
  await bench?.close();
  await network?.stop();
});

/** Appends events of a person, as a command does. */
async function given(stream: string, actorId: string, ...events: readonly StoredEvent[]): Promise<void> {
  const log = network.app().get(EventLog);
  const expected = (await log.read(stream)).at(-1)?.revision ?? 'no_stream';
  const added = events.map((event) => ({ id: randomUUID(), event }));
  await log.append({ stream, expected, events: added, metadata: { requestId: 'test', actorId } });
  await projectInline((await log.read(stream)).slice(-events.length), network.app().get(AuthorityStore).db);
}

async function person(displayName: string, handle = `h_${randomUUID().slice(0, 8)}`): Promise<string> {
  const actorId = randomUUID();
  await given(streams.account(actorId), actorId, some.account(actorId, { displayName, handle }));
  return actorId;
}

async function post(authorActorId: string, text: string): Promise<string> {
  const postId = randomUUID();
  await given(
    streams.post(postId),
    authorActorId,
    some.post(postId, { authorActorId, text, at: Date.now() }),
  );
  return postId;
}

const open = async (path: string) => (await grace.browser.open(`${url}/console${path}`)).text;

/** The page as a person reads it. */
const words = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

/** The page, once it has this text: worker and audit come after the events. */
const shown = (path: string, text: string) =>
  until(async () => {
    const page = await open(path);
    return page.includes(text) && page;
  });

describe('names on pages', () => {
  it('are those of now: of suspended people too, but no hidden, former or erased name', async () => {
    const suspended = await person('Suspended Sue');
    const hidden = await person('Hidden Hedy', 'hidden_hedy');
    const renamed = await person('Renamed Rosa', 'former_rosa');
    const erased = await person('Erased Eve', 'erased_eve');
    const one = { bio: '', website: '', revision: 2 };
    await given(
      streams.profile(hidden),
      hidden,
      some.profileChange(hidden, { ...one, displayName: 'Hidden Hedy', handle: null }),
    );
    await given(
      streams.profile(renamed),
      renamed,
      some.profileChange(renamed, { ...one, displayName: 'Rosa', handle: 'present_rosa' }),
    );
    await shared.post('accounts/:id/suspend', { id: suspended, reason: 'a test' });
    await shared.post('accounts/:id/erase', { id: erased, delayMs: 0, reason: 'a test' });
    for (const actorId of [suspended, hidden, renamed, erased])
      await shown(`/audit?q=actor:${actorId}`, `<code class="id">${actorId}</code>`);
    const page = words(await open('/audit'));
    expect(page).toContain('Suspended Sue');
    expect(page).toContain('Hidden Hedy');
    expect(page).toContain('@present_rosa');
    expect(page).toContain('erased account');
    expect(page).not.toMatch(/hidden_hedy|former_rosa|Renamed Rosa|erased_eve|Erased Eve/i);
  });

  it('of posts are their first words, if anybody can read them', async () => {
    const ada = await person('Ada');
    const [open1, restricted, deleted] = [
      await post(ada, 'words that stay'),
      await post(ada, 'restricted words'),
      await post(ada, 'deleted words'),
    ];
    await shown(`/accounts/${ada}`, 'deleted words');
    await shared.post('posts/:id/restrict', { id: restricted, reason: 'a test' });
    await given(streams.post(deleted), ada, some.deletion(deleted, { authorActorId: ada }));
    await until(async () => !/(restricted|deleted) words/.test(await open(`/accounts/${ada}`)));
    expect(words(await open(`/audit?q=post:${open1}`))).toContain('“words that stay”');
    for (const id of [restricted, deleted])
      for (const path of [`/posts/${id}`, `/audit?q=post:${id}`])
        expect(words(await open(path))).not.toMatch(/(restricted|deleted) words/);
  });

  it('show markup as text, and nothing that somebody typed becomes a name', async () => {
    const evil = '<b>bold</b> link actors x & “”';
    const mallory = await person(evil);
    const profile = { displayName: evil, handle: null, bio: evil, website: '', revision: 2 };
    await given(streams.profile(mallory), mallory, some.profileChange(mallory, profile));
    const page = await shown(`/accounts/${mallory}`, '&lt;b&gt;bold&lt;/b&gt;');
    expect(page).not.toContain('<b>');
    const placeholder = encodeURIComponent(`\0link actors ${mallory}\0`);
    for (const path of ['audit', 'subjects']) {
      const typed = (await grace.browser.open(`${url}/console/${path}?q=${placeholder}`)).text;
      expect(typed).toContain(`\uFFFDlink actors ${mallory}\uFFFD`);
      expect(typed).not.toContain('bold');
    }
  });

  it('come from one statement a page', async () => {
    const [few, many] = [await person('Few'), await person('Many')];
    for (const [actorId, count] of [
      [few, 1],
      [many, 149],
    ] as const) {
      const postId = await post(actorId, 'a post');
      const edits = Array.from({ length: count }, (_, n) =>
        some.edit(postId, { authorActorId: actorId, revision: n + 2 }),
      );
      await given(streams.post(postId), actorId, ...edits);
      const changes = Array.from({ length: count }, (_, n) =>
        some.profileChange(actorId, { displayName: 'X', revision: n + 2 }),
      );
      await given(streams.profile(actorId), actorId, ...changes);
    }
    for (const [actorId, count] of [
      [few, 4],
      [many, 100],
    ] as const)
      await until(async () => (await shared.get('accounts/:id', { id: actorId })).timeline.length >= count);
    const statements = countStatements(network.database().pool);
    const ofPage = async (path: string) => {
      // The first look of an hour is recorded, and a new statement is prepared.
      await open(path);
      statements.length = 0;
      await open(path);
      return statements.slice();
    };
    const [ofFew, ofMany] = [await ofPage(`/accounts/${few}`), await ofPage(`/accounts/${many}`)];
    // A short page asks once more if older events may follow.
    expect(ofMany.length).toBeLessThanOrEqual(ofFew.length);
    const audit = await ofPage('/audit');
    for (const each of [ofFew, ofMany, audit])
      expect(each.filter((text) => text.includes("'isErased', state = 'erased'"))).toHaveLength(1);
    expect(ofFew.length).toBeLessThan(30);
  });

  it('are in no answer, and on no page of the log', async () => {
    const ada = await person('Nameless Ada', 'nameless_ada');
    const bob = await person('Nameless Bob', 'nameless_bob');
    const follow = some.follow(ada, bob, { targetActorId: bob, at: Date.now() });
    await given(streams.pair(ada, bob), ada, follow);
    const profile = {
      displayName: 'Nameless Ada',
      handle: 'nameless_ada',
      bio: 'a nameless bio',
      revision: 2,
    };
    await given(streams.profile(ada), ada, some.profileChange(ada, profile));
    await shown(`/accounts/${ada}`, 'a nameless bio');
    const page = await shown(`/accounts/${ada}`, 'Followed ');
    expect(words(page)).toContain('Nameless Ada @nameless_ada');
    expect(words(page)).toContain('Nameless Bob @nameless_bob');
    const log = [await open('/log'), await open(`/log/${streams.pair(ada, bob)}`)];
    const answers = [
      await shared.get('accounts/:id', { id: ada }),
      await shared.get('audit', { q: `actor:${ada}` }),
      await shared.get('subjects', { q: 'nameless_ada' }).then(({ found }) => found),
      await shared.get('log'),
    ].map((answer) => JSON.stringify(answer));
    for (const text of [...log, ...answers]) expect(text).not.toMatch(/nameless/i);
    expect(log.join('')).toContain('relation.established');
  });
});

describe('a dossier', () => {
  it('of a person has followers, posts a day, and acts by kind; older events are in the audit', async () => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    await given(streams.pair(bob, ada), bob, some.follow(bob, ada, { targetActorId: ada }));
    const posts = [await post(ada, 'one'), await post(ada, 'two')];
    const page = words(await shown(`/accounts/${ada}`, 'Published 2 posts'));
    expect(page).toContain('Published posts a day: 2 posts in 30 days, at most 2 a day');
    expect(page).toMatch(/followers 1 follows 0 (?!reports)/);
    expect(page).toContain('Bob');
    expect(page).not.toContain('Older events are left out');
    const edits = Array.from({ length: 101 }, (_, n) =>
      some.edit(posts[0] ?? '', { authorActorId: ada, revision: n + 2 }),
    );
    await given(streams.post(posts[0] ?? ''), ada, ...edits);
    await shown(`/accounts/${ada}`, 'Older events are left out');
  });

  it('counts the reports of a person, and does not say which', async () => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const postIds: string[] = [];
    for (const reason of ['spam', 'illegal', 'other'] as const) {
      const [postId, reportId] = [await post(bob, reason), randomUUID()];
      const report = { reporterActorId: ada, targetActorId: bob, postId, reason };
      await given(streams.report(reportId), ada, some.report(reportId, report));
      postIds.push(postId);
    }
    const page = await shown(`/accounts/${ada}`, 'reports by this person');
    expect(words(page)).toContain('3: 0 led to a violation, 0 to none, 0 overturned, 3 wait');
    await until(async () => (await open(`/audit?q=actor:${ada}`)).includes('Somebody reported the post'));
    const [ofAda, ofBob] = [await open(`/accounts/${ada}`), await open(`/accounts/${bob}`)];
    expect(postIds.filter((id) => ofAda.includes(id))).toEqual([]);
    expect(ofBob).toContain(postIds[0]);
    expect(ofBob).not.toContain(ada);
    expect(await shared.get('accounts/:id', { id: ada })).toMatchObject({
      reportsBy: { reports: 3, waiting: 3 },
    });
  });

  it('of a post has its place in the thread', async () => {
    const ada = await person('Ada');
    const [root, parent, reply] = [await post(ada, 'the root'), await post(ada, 'the parent'), randomUUID()];
    const thread = { parentId: parent, parentAuthorActorId: ada, rootId: root };
    await given(
      streams.post(reply),
      ada,
      some.post(reply, { authorActorId: ada, text: 'a reply', ...thread }),
    );
    const page = words(await shown(`/posts/${reply}`, 'the parent'));
    expect(page).toMatch(/reply to “the parent” \S+ in the thread of “the root”/);
    expect(page).toContain('Nobody reported this post');
  });
});

/** The texts of the statements of a pool from now on. */
function countStatements(pool: Pool): string[] {
  const texts: string[] = [];
  const known = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
    client.query = ((...asked: unknown[]) => {
      const [statement] = asked as [string | { readonly text: string }];
      texts.push(typeof statement === 'string' ? statement : statement.text);
      return query(...asked);
    }) as never;
  });
  return texts;
}

describe('the search of the audit', () => {
  it('that is refused keeps its query in the field, and says why', async () => {
    const page = await grace.browser.open(`${url}/console/audit?q=${encodeURIComponent('type:"<none>"')}`);
    expect(page.status).toBe(400);
    expect(page.text).toContain('value="type:&quot;&lt;none&gt;&quot;"');
    expect(words(page.text)).toContain('There is no event type &lt;none&gt;');
    const unknown = await grace.browser.open(`${url}/console/audit?q=actor:@nobody_at_all`);
    expect([unknown.status, unknown.text]).toEqual([
      400,
      expect.stringContaining('value="actor:@nobody_at_all"'),
    ]);
    const program = await fetch(`${url}/operator/audit?q=nonsense`, {
      headers: { authorization: `Bearer ${network.config.operatorToken ?? ''}` },
    });
    expect(program.headers.get('content-type')).toContain('json');
  });

  it('gets the terms of the fields beside it', async () => {
    const ada = await person('Picked Ada', 'picked_ada');
    await shown(`/audit?q=actor:${ada}`, 'registered their account');
    const start = await grace.browser.open(`${url}/console/audit`);
    const form = start.forms.find(({ action }) => action === '/console/audit')!;
    const found = await grace.browser.submit(start, form, {
      type: 'account.registered',
      person: '@picked_ada',
    });
    expect(found.text).toContain('value="type:account.registered actor:@picked_ada"');
    expect(words(found.text)).toContain('Picked Ada @picked_ada');
    const again = await grace.browser.submit(
      found,
      found.forms.find(({ action }) => action === '/console/audit')!,
      { type: 'account.registered' },
    );
    expect(again.text).toContain('value="type:account.registered actor:@picked_ada"');
  });
});
