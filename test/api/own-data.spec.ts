/** Rules of each event: src/doors/auth/own-data/own-events.unit.spec.ts. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { serving } from '../../projections/groups.js';
import { RecoveryWatch } from '../../projections/incarnations/detect/recovery-watch.js';
import { versionsOf } from '../../projections/runner/projection.js';
import { openReadStore } from '../../src/base/store/database.js';
import { PersonsReads } from '../../src/doors/api/admission/persons-reads.js';
import { PublicationCache } from '../../src/doors/api/admission/publication.js';
import { PublishedStatements } from '../../src/doors/api/admission/published-statements.js';
import { OwnFacts } from '../../src/doors/auth/own-data/own-facts.js';
import { ownFacts } from '../../src/doors/auth/own-data/own-lines.js';
import { BeginDownload } from '../../src/commands/account/begin-download.js';
import { Clock, systemClock } from '../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../src/base/support/id-generator.js';
import { allScopes, scopeDescriptions } from '../../src/domain/grant/scopes.js';
import type { AccountDataDisclosed } from '../../src/domain/account/events.js';
import type { Recorded } from '../../src/log/recorded.js';
import { EventLog } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { alertIn } from '../auth/support/account.js';
import { Visitor } from '../auth/support/visitor.js';
import type { PageAnswer } from '../auth/support/visitor.js';
import { personWithPage } from '../support/account-visitor.js';
import type { PersonWithPage } from '../support/account-visitor.js';
import { operatorOf, password, registerApplication } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { commandsOn } from '../support/commands.js';
import { runPlaza } from '../support/command.js';
import { decide, newModerator, report, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { openLogOf } from '../support/network-log.js';
import { enrollOperator } from '../support/operators.js';
import { personWithToken } from '../support/people.js';
import { editPost } from '../support/posts.js';
import { describeWithPython, python, verifier } from '../support/python.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { block, follow, like, post, removePost } from '../support/social.js';
import { until } from '../support/until.js';
import { openReadyWitness } from '../support/witness.js';

const scope = allScopes.join(' ');
const scratch = mkdtempSync(join(tmpdir(), 'plaza-own-data-'));

let network: SharedNetwork;
let application: Application;
let grace: Moderator;
let key: string;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network, 'Pebble & Sons');
  grace = await newModerator(network);
  key = (await (await fetch(`${network.baseUrl}/log/key`)).text()).trim();
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Line {
  readonly type: string;
  readonly at: number;
  readonly position: number;
  readonly through?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly handles: Readonly<Record<string, string>>;
  readonly applications: Readonly<Record<string, string>>;
  readonly upTo: { readonly position: number; readonly eventId: string };
}

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line & { readonly note?: string; readonly fault?: string });

const newPerson = () => personWithPage(network, application, scope);

const download = async (person: PersonWithPage, typed: Readonly<Record<string, string>> = {}) => {
  const [visitor, page] = await person.openAccount();
  return visitor.submitTo(page, '/data', { proof: password, ...typed });
};

function verified(text: string | Buffer, given = key) {
  const file = join(scratch, `${randomUUID()}.jsonl`);
  writeFileSync(file, text);
  return python(verifier, 'data', file, given);
}

/**
 * A block by another, a report about the person and a note on the case. Returns what no download may have: words of the texts, and
 * the ids of those who acted.
 */
async function hiddenFrom(person: SignedIn): Promise<readonly string[]> {
  const somebody = () => personWithToken(network, application, scope);
  const [blocker, reporter] = await Promise.all([somebody(), somebody()]);
  await block(blocker, person);
  const caseId = await reportedPost(
    grace,
    reporter,
    await post(person, 'a reported post'),
    'a secret report',
  );
  await grace.client.post('cases/:id/claim', { id: caseId });
  await grace.client.post('cases/:id/notes', { id: caseId, note: 'a secret note' });
  return ['a secret', blocker.actorId, reporter.actorId, grace.operatorId];
}

const shown = (hidden: readonly string[], text: string) => hidden.filter((each) => text.includes(each));

async function downloadsOf(actorId: string): Promise<number> {
  const opened = await openLogOf(network);
  try {
    return (await opened.log.read(streams.downloads(actorId))).length;
  } finally {
    await opened.close();
  }
}

describe('a download', () => {
  let ada: PersonWithPage;
  let bob: SignedIn;
  let blocker: SignedIn;
  let reporter: SignedIn;
  let answer: PageAnswer;
  let lines: ReturnType<typeof linesIn>;

  const of = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data);

  beforeAll(async () => {
    const somebody = () => personWithToken(network, application, scope);
    [ada, bob, blocker, reporter] = await Promise.all([newPerson(), somebody(), somebody(), somebody()]);
    const own = await post(ada, 'the first version');
    await editPost(ada, own, { text: 'the second version' });
    const bobs = await post(bob, 'text of bob');
    await post(ada, 'a reply to bob', { parentId: bobs });
    await post(bob, 'reply of bob', { parentId: own });
    await removePost(ada, await post(ada, 'a deleted post'));
    for (const other of [bob, blocker]) await follow(ada, other);
    await follow(bob, ada);
    await like(ada, bobs);
    await like(bob, own);
    await block(blocker, ada);
    await block(ada, await somebody());
    await report(ada, { postId: bobs, text: 'report of ada' });
    const reported = await post(ada, 'a reported post');
    const caseId = await reportedPost(grace, reporter, reported, 'report about ada');
    await grace.client.post('cases/:id/claim', { id: caseId });
    await grace.client.post('cases/:id/notes', { id: caseId, note: 'note on ada' });
    await decide(grace, caseId, ['restrict_post'], 'notice to ada');
    await report(reporter, { actorId: ada.actorId, text: 'second report about ada' });
    await until(async () => (await ada.get('/api/inbox')).body.inbox.length === 3);
    answer = await download(ada);
    lines = linesIn(answer.text);
  }, 60_000);

  it('is a file to save that describes itself, signed at its end', async () => {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="plaza-\d{4}-\d\d-\d\d\.jsonl"$/,
    );
    expect(answer.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [first] = lines;
    expect(first).toMatchObject({
      type: 'description',
      format: 'plaza-own-data/v1',
      actorId: ada.actorId,
      types: { 'post.edited': { fields: ['postId', 'text', 'mentions', 'revision'] } },
      fields: { notice: expect.any(String) },
    });
    expect(lines.at(-1)?.note).toContain('plaza-own-data/v1\n');
    const said = new Set(lines.slice(1, -1).map(({ type }) => type));
    expect([...said].filter((type) => !(type in (first as unknown as { types: object }).types))).toEqual([]);
  });

  it('is recorded before its first byte, and has the log up to that event', async () => {
    const { position, eventId } = lines[0]!.upTo;
    const opened = await openLogOf(network);
    const [begun] = await opened.log.read(streams.downloads(ada.actorId));
    await opened.close();
    expect(begun).toMatchObject({
      id: eventId,
      position: BigInt(position),
      event: { type: 'download.begun', data: { actorId: ada.actorId, parts: ['events', 'inbox'] } },
    });
    expect(lines[1]).toMatchObject({ type: 'download.begun', position });
    expect(Math.max(...lines.slice(1, -1).map((line) => line.position))).toBe(position);
  });

  it('has profile, posts with their versions, relations, reports, decisions and sign-ins', () => {
    expect(of('account.registered')).toMatchObject([
      { handle: ada.handle, email: `${ada.handle}@example.org` },
    ]);
    const texts = [...of('post.created'), ...of('post.edited')].map(({ text }) => String(text));
    expect(texts.toSorted()).toEqual([
      'a deleted post',
      'a reply to bob',
      'a reported post',
      'the first version',
      'the second version',
    ]);
    expect(of('post.deleted')).toHaveLength(1);
    expect(
      of('relation.established')
        .map(({ kind }) => String(kind))
        .toSorted(),
    ).toEqual(['follow', 'follow', 'like']);
    expect(of('block.established')).toHaveLength(1);
    expect(of('report.created')).toMatchObject([{ text: 'report of ada', targetActorId: bob.actorId }]);
    expect(of('case.decided')).toMatchObject([{ outcome: 'violation', notice: 'notice to ada' }]);
    expect(of('post.restricted')).toHaveLength(1);
    expect(of('account.signed_in').length).toBeGreaterThan(0);
    expect(of('grant.issued')).toMatchObject([{ appId: application.clientId }]);
    const said = lines.find(({ type }) => type === 'post.created');
    expect(said).toMatchObject({
      through: application.clientId,
      applications: { [application.clientId]: 'Pebble & Sons' },
    });
  });

  it('has the inbox by ids, and handles of those whom the person may see', async () => {
    expect(of('inbox.entry').map(({ kind }) => kind)).toEqual(['like', 'follow', 'reply']);
    const bobsHandle = (await bob.get('/api/profile')).body.profile.handle as string;
    const followed = lines.filter(({ type }) => type === 'relation.established');
    const handles = Object.assign({}, ...followed.map((line) => line.handles)) as Line['handles'];
    expect(handles).toEqual({ [bob.actorId]: bobsHandle });
  });

  it('has no byte of blocks by others, reporters, notes, operators, texts of others and secrets', async () => {
    for (const text of ['report about ada', 'second report', 'note on ada', 'text of bob', 'reply of bob'])
      expect(answer.text).not.toContain(text);
    for (const id of [reporter.actorId, grace.operatorId]) expect(answer.text).not.toContain(id);
    const body = answer.text.split('\n').slice(1, -2).join('\n');
    expect(body).not.toMatch(/"(?:operator\w*|\w*[rR]equestId|intentId|reporterActorId|note)":/);
    expect(of('relation.ended')).toEqual([]);
    const own = of('block.established').map(({ targetActorId }) => targetActorId);
    expect(own).not.toContain(blocker.actorId);
    const search = ['audit', '--json', '--no-texts', '--wait', `actor:${ada.actorId}`];
    const audited = (await runPlaza(search, network.env)).stdout.trimEnd().split('\n');
    const secrets = audited.map((line) => (JSON.parse(line) as { readonly requestId: string }).requestId);
    expect(secrets.length).toBeGreaterThan(lines.length);
    expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
  });

  it('begins twice a day, whatever the form, and the third is refused and not recorded', async () => {
    const page = await download(ada, { format: 'html' });
    expect(page.headers.get('content-disposition')).toMatch(/\.html"$/);
    expect(page.text).not.toMatch(/<script|<a |src=/);
    expect(page.text).toContain('the second version');
    expect(page.text).toMatch(/This is all: \d+ entries/);
    const [blocked] = of('block.established');
    expect(page.text).toMatch(new RegExp(`the person:</span>\\s*${String(blocked?.targetActorId)}`));
    expect(page.text).toContain(scopeDescriptions['block:write']);
    expect(page.text).not.toMatch(/null: it is hidden|follow, like, reply or mention|block:write/);
    for (const text of ['report about ada', 'note on ada', 'reply of bob', grace.operatorId])
      expect(page.text).not.toContain(text);
    const third = await download(ada);
    expect([third.status, alertIn(third)]).toEqual([
      400,
      expect.stringContaining('two downloads within a day'),
    ]);
    expect(await downloadsOf(ada.actorId)).toBe(2);
  });
});

describeWithPython('docs/verify_log.py', () => {
  it('verifies a download, and refuses one that was changed, cut or signed by another', async () => {
    const person = await newPerson();
    await post(person, 'a post');
    const { text } = await download(person);
    const { code, stdout } = await verified(text);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`actorId: "${person.actorId}"`)]);
    expect(stdout).toContain(`verified: ${text.trimEnd().split('\n').length - 1} entries`);
    const changed = [
      text.replace('a post', 'a p0st'),
      text.split('\n').toSpliced(1, 1).join('\n'),
      text.split('\n').slice(0, -2).join('\n'),
      `${text.split('\n').slice(0, -2).join('\n')}\n`,
      text.trimEnd(),
      `${text}{}\n`,
      `${text}${text.split('\n').at(-2)}\n`,
      text.replace(person.actorId, person.actorId.split('').toReversed().join('')),
      '',
      '{"note":7}\n',
    ];
    for (const each of changed)
      expect(await verified(each)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^REFUSED: .*\n$/),
      });
  });
});

describe('the pages of what happened', () => {
  it('are named by addresses that tell no time or place in the log, and are for this person alone', async () => {
    const person = await newPerson();
    for (let n = 0; n < 30; n++) await post(person, `post ${n}`);
    const history = `${network.baseUrl}/api/auth/account/history`;
    const [visitor] = await person.openAccount();
    const older = await until(async () => {
      const { text } = await visitor.open(history);
      return /href="[^"]*\?before=([^"]+)"/.exec(text)?.[1];
    });
    const lines = linesIn((await download(person)).text).filter(({ type }) => type === 'post.created');
    const bytes = Buffer.from(older, 'base64url').toString('latin1');
    for (const { position, at } of lines)
      for (const number of [position, at]) expect(`${older} ${bytes}`).not.toContain(String(number));
    const page = await visitor.open(`${history}?before=${older}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('post 0')]);
    expect(page.text).not.toContain('post 29');
    const [other] = await (await newPerson()).openAccount();
    expect((await other.open(`${history}?before=${older}`)).status).toBe(400);
  });
});

describe('while the network refuses reads', () => {
  it('a page of a download is read again until it is served, or the download ends', async () => {
    const [ada, bob] = [await newPerson(), await personWithToken(network, application, scope)];
    await follow(ada, bob);
    const [first] = linesIn((await download(ada)).text);
    const begun = {
      ...first!.upTo,
      position: BigInt(first!.upTo.position),
      networkId: '',
      downloadId: '',
      at: 0,
    };
    const { env } = network;
    const applicationName = 'own-data-test';
    const opened = await openLogOf(network);
    const witness = await openReadyWitness(env['WITNESS_DATABASE_URL'] ?? '', applicationName);
    const database = await openReadStore({
      url: env['DATABASE_URL'] ?? '',
      applicationName,
      maxConnections: 4,
      queryTimeoutMs: 5_000,
    });
    const { pool } = database;
    const proof = new RecoveryWatch({
      pool,
      witness,
      log: opened.log,
      hadWitness: true,
      logger: pino({ level: 'silent' }),
      monotonic: () => performance.now(),
    });
    const statements = new PublishedStatements(pool, new PublicationCache(pool, versionsOf(serving)));
    const facts = new OwnFacts(database, opened.log, new PersonsReads(statements, proof));
    const types = async (isEnded: boolean) => {
      const found: string[] = [];
      for await (const page of ownFacts(
        facts,
        ada.actorId,
        begun,
        () => Promise.resolve(),
        () => isEnded,
      ))
        found.push(...page.map(({ type }) => type));
      return found;
    };
    // Not started yet, so nothing is proven.
    await expect(types(true)).rejects.toMatchObject({ name: 'HttpRefusal', status: 503 });
    const reading = types(false);
    await proof.start();
    expect(await reading).toEqual(expect.arrayContaining(['relation.established', 'account.registered']));
    await proof.stop();
    for (const each of [witness, database, opened]) await each.close();
  });
});

describe('no download begins', () => {
  it('without the password, and from a form of another site or browser', async () => {
    const person = await newPerson();
    const wrong = await download(person, { proof: 'not this one' });
    expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your password.']);
    const [visitor, page] = await person.openAccount();
    const typed = { proof: password };
    const answers = [
      await visitor.submitTo(page, '/data', typed, { origin: '' }),
      await visitor.submitTo(page, '/data', typed, { origin: 'https://evil.example' }),
      await visitor.submitTo(page, '/data', { ...typed, form: '' }),
      await (await newPerson()).openAccount().then(([other]) => other.submitTo(page, '/data', typed)),
      // It leads to the account page.
      await visitor.open(`${network.baseUrl}/api/auth/account/data`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 200]);
    expect(await downloadsOf(person.actorId)).toBe(0);
  });

  it('beyond two a day, at any number of processes at once', async () => {
    const opened = await Promise.all([openLogOf(network), openLogOf(network)]);
    const processes = opened.map(({ log }) =>
      commandsOn([
        [EventLog, log],
        [Clock, systemClock],
        [IdGenerator, systemIds],
      ] as const),
    );
    const actorId = randomUUID();
    const begun = await Promise.all(
      [...processes, ...processes].map((commands) =>
        commands.execute(new BeginDownload(actorId, { requestId: randomUUID(), actorId })),
      ),
    );
    expect(begun.filter((outcome) => 'nextAt' in outcome)).toHaveLength(2);
    await Promise.all(opened.map((each) => each.close()));
    expect(await downloadsOf(actorId)).toBe(2);
  });
});

describe('a suspended person', () => {
  it('downloads at the page of appeals, where the cookie of appeals is enough for nothing else', async () => {
    const person = await newPerson();
    await post(person, 'before the suspension');
    const hidden = await hiddenFrom(person);
    await operatorOf(network).post('accounts/:id/suspend', { id: person.actorId, reason: 'a test' });
    const [visitor, page] = await person.openAccount();
    expect(page.url).toBe(`${network.baseUrl}/api/auth/account/appeal`);
    const wrong = await visitor.submitTo(page, '/appeal/data', { proof: 'not this one' });
    expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your password.']);
    const { status, text } = await visitor.submitTo(page, '/appeal/data', { proof: password });
    expect(status).toBe(200);
    const types = linesIn(text).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['account.suspended', 'post.created']));
    expect(text).toContain('before the suspension');
    expect(shown(hidden, text)).toEqual([]);
    const history = await visitor.open(`${network.baseUrl}/api/auth/account/history`);
    expect(history.text).not.toContain('before the suspension');
    expect(history.text).toContain('name="password"');
  });
});

describe('an export by operators', () => {
  const accountOf = async () => {
    const handle = `x_${randomUUID().slice(0, 8)}`;
    const account = { handle, displayName: 'X', email: `${handle}@example.org`, password };
    return { handle, actorId: (await operatorOf(network).post('accounts', account)).actorId };
  };
  const plaza = (...args: string[]) => runPlaza(['account', 'export', ...args], network.env);
  const exportsOf = async (actorId: string) => {
    const opened = await openLogOf(network);
    try {
      return await opened.log.read(streams.accountExports(actorId));
    } finally {
      await opened.close();
    }
  };

  it('is refused, and names the page, where the person can sign in', async () => {
    const person = await newPerson();
    const { code, stdout, stderr } = await plaza(person.actorId, '--reason', 'letter 5');
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining(`download it at ${network.baseUrl}/api/auth/account`),
    ]);
    expect(await exportsOf(person.actorId)).toEqual([]);
    expect(await plaza('nobody', '--reason', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(not_found)'),
    });
    expect(await plaza(person.actorId)).toMatchObject({ code: 2 });
  });

  it('writes the same signed lines, is recorded first, and the account page says so', async () => {
    const { actorId, handle } = await accountOf();
    const { code, stdout, stderr } = await plaza(actorId, '--reason', 'letter 5');
    expect([code, stderr]).toEqual([0, '']);
    const lines = linesIn(stdout);
    expect(lines[0]).toMatchObject({ type: 'description', actorId });
    expect(lines.at(-1)?.note).toContain('plaza-own-data/v1\n');
    expect(lines.slice(1, -1).map(({ type }) => type)).toEqual([
      'account.data_disclosed',
      'account.registered',
    ]);
    expect(stdout).not.toContain('letter 5');
    const [recorded] = await exportsOf(actorId);
    expect(recorded).toMatchObject({
      id: lines[0]?.upTo.eventId,
      metadata: { operatorId: 'shared-token', reason: 'letter 5' },
    });
    const visitor = new Visitor(network.baseUrl);
    const page = await visitor.open(`${network.baseUrl}/api/auth/account`);
    const account = await visitor.submit(page, { handle, password });
    expect(account.text).toContain('The operators made a copy of your data');
    // A person who signed in can take it themselves.
    expect(await plaza(actorId, '--reason', 'letter 6')).toMatchObject({ code: 1 });
    expect(await exportsOf(actorId)).toHaveLength(1);
    const { exportId } = (recorded as Recorded<AccountDataDisclosed>).event.data;
    expect(await verified(stdout)).toMatchObject({ code: 0 });
    expect(await plaza(actorId, '--begun', exportId)).toMatchObject({ code: 0 });
    const { token } = await enrollOperator(operatorOf(network), ['auditor']);
    const another = await runPlaza(['account', 'export', actorId, '--begun', exportId], {
      ...network.env,
      OPERATOR_TOKEN: token,
    });
    expect([another.code, another.stderr]).toEqual([1, expect.stringContaining('(not_found)')]);
  });
});

/** Sends the form. */
function send(visitor: Visitor, page: PageAnswer): ClientRequest {
  const { action = '', fields = {} } = page.forms.find((form) => form.action.endsWith('/data')) ?? {};
  const url = new URL(action, page.url);
  const body = new URLSearchParams({ ...fields, proof: password }).toString();
  const headers = {
    origin: network.baseUrl,
    cookie: visitor.cookiesFor(url.href).join('; '),
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
  };
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  request.end(body);
  return request;
}

/** Reads nothing of the answer yet. */
async function beginSlowly(visitor: Visitor, page: PageAnswer): Promise<IncomingMessage> {
  const [answer] = (await once(send(visitor, page), 'response')) as [IncomingMessage];
  return answer;
}

/** Somebody with more than the buffers of a connection hold. */
async function personWithMuch() {
  const person = await newPerson();
  const hidden = await hiddenFrom(person);
  const opened = await openLogOf(network);
  const metadata = { requestId: randomUUID(), actorId: person.actorId, appId: application.clientId };
  const text = '\u{1F3DB}'.repeat(2_000);
  const say = async () => {
    const postId = systemIds.random();
    const data = { postId, authorActorId: person.actorId, appId: application.clientId, text, mentions: [] };
    const event = { type: 'post.created', data: { ...data, audience: 'public', at: Date.now() } } as const;
    const events = [{ id: randomUUID(), event }];
    await opened.log.append({ stream: streams.post(postId), expected: 'no_stream', events, metadata });
  };
  for (let batch = 0; batch < 40; batch++) await Promise.all(Array.from({ length: 50 }, say));
  await opened.close();
  return { person, hidden };
}

describeWithPython('while a download runs', () => {
  it('no other of the person begins; posts and a suspension meanwhile leave it whole; a cut ends it', async () => {
    const { person, hidden } = await personWithMuch();
    const [visitor, page] = await person.openAccount();
    const running = await beginSlowly(visitor, page);
    const second = await visitor.submitTo(page, '/data', { proof: password });
    expect([second.status, alertIn(second)]).toEqual([400, expect.stringContaining('still running')]);
    await post(person, 'said meanwhile');
    await operatorOf(network).post('accounts/:id/suspend', { id: person.actorId, reason: 'a test' });
    const whole = await buffer(running);
    expect(whole.length).toBeGreaterThan(16_000_000);
    expect(whole.includes('said meanwhile')).toBe(false);
    expect(linesIn(whole.toString()).filter(({ type }) => type === 'post.created')).toHaveLength(2_001);
    expect(shown(hidden, whole.toString())).toEqual([]);
    expect(await verified(whole)).toMatchObject({ code: 0 });

    const [appellant, appealPage] = await person.openAccount();
    const cut = await beginSlowly(appellant, appealPage);
    const [begin] = (await once(cut, 'data')) as [Buffer];
    cut.destroy();
    expect(await verified(begin)).toMatchObject({ code: 1 });
    expect(shown(hidden, begin.toString())).toEqual([]);
    // Its place is free again, though this day has no third download.
    const third = () => appellant.submitTo(appealPage, '/data', { proof: password });
    await until(async () => alertIn(await third())?.includes('two downloads within a day'));
  }, 120_000);

  it('a client that leaves at once keeps no place', async () => {
    const person = await newPerson();
    const [visitor, page] = await person.openAccount();
    const left = send(visitor, page).on('error', () => undefined);
    await until(async () => (await downloadsOf(person.actorId)) === 1);
    left.destroy();
    const { text } = await until(async () => {
      const second = await visitor.submitTo(page, '/data', { proof: password });
      return second.status === 200 && second;
    });
    expect(await verified(text)).toMatchObject({ code: 0 });
  });

  it('an erasure ends it, and the last line says so', async () => {
    const { person, hidden } = await personWithMuch();
    const running = await beginSlowly(...(await person.openAccount()));
    await operatorOf(network).post('accounts/:id/erase', {
      id: person.actorId,
      delayMs: 0,
      reason: 'asked for',
    });
    const text = (await buffer(running)).toString();
    const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as { readonly fault?: string };
    expect(last.fault).toContain('Your account was deleted meanwhile');
    expect(shown(hidden, text)).toEqual([]);
    expect(await verified(text)).toMatchObject({ code: 1 });
  }, 120_000);
});
