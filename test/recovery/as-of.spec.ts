import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { pino } from 'pino';
import { servingWith } from '../../projections/groups.js';
import { asOfVersionsOf } from '../../src/background/as-of/builds.js';
import { dropBuilds } from '../../src/background/as-of/drop-builds.js';
import { readConfig } from '../../src/base/config/config.js';
import { streams } from '../../src/log/streams.js';
import type { OpenLog } from '../../src/log/open-log.js';
import type { AsOfView } from '../../src/operator/as-of/answer.js';
import { operatorClient } from '../support/operator-client.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { enrollInConsole } from '../support/console.js';
import { looksOf } from '../support/looks.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { openLogOf } from '../support/network-log.js';
import { enrollOperator } from '../support/operators.js';
import type { EnrolledOperator } from '../support/operators.js';
import { block, follow, post, removePost } from '../support/social.js';
import { until } from '../support/until.js';

const DAY_MS = 24 * 60 * 60_000;
/** Key of an advisory lock at which a build waits. */
const GATE = 4_242;
const scope = 'openid read post:create post:delete post:edit relation:write block:write profile:write';

let network: TestNetwork;
let database: Client;
let opened: OpenLog;
let auditor: EnrolledOperator;
let ada: SignedIn;
let bob: SignedIn;
/** Erased by the case that needs it. */
let dora: SignedIn;
let posts: {
  readonly kept: string;
  readonly edited: string;
  readonly deleted: string;
  readonly doras: string;
};
/** Positions of events: the block of bob by ada, and the deletion before it. */
let blocked: bigint;
let deleted: bigint;
/** Between the deletion and the block. */
let time: string;

const newIntent = () => ({ intentId: randomUUID() });
const positionOf = ({ headers }: Answer) => BigInt(headers.get('x-network-write-revision') ?? '');

beforeAll(async () => {
  network = await startNetwork();
  database = new Client(network.env['DATABASE_URL']);
  await database.connect();
  opened = await openLogOf(network);
  auditor = await enrollOperator(operatorOf(network), ['auditor']);
  const application = await registerApplication(network);
  [ada, bob, dora] = await Promise.all([
    personWithToken(network, application, scope),
    personWithToken(network, application, scope),
    personWithToken(network, application, scope),
  ]);
  await follow(ada, bob);
  await follow(ada, dora);
  posts = {
    kept: await post(bob, 'kept text'),
    edited: await post(bob, 'former text'),
    deleted: await post(bob, 'deleted text'),
    doras: await post(dora, 'text of dora'),
  };
  await bob.patch('/api/profile', { ...newIntent(), revision: 1, bio: 'former bio' });
  deleted = positionOf(await removePost(bob, posts.deleted));
  const now = Date.now();
  time = new Date(now).toISOString();
  await until(() => Date.now() > now);
  blocked = positionOf(await block(ada, bob));
  await bob.patch(`/api/posts/${posts.edited}`, { ...newIntent(), revision: 1, text: 'newer text' });
  await bob.patch('/api/profile', { ...newIntent(), revision: 2, bio: 'newer bio' });
});

afterAll(async () => {
  await opened?.close();
  await database?.end();
  await network?.stop();
});

const auditing = () =>
  operatorClient(Object.assign({}, readConfig(network.env), { operatorToken: auditor.token }));

/** As the command does it. */
async function asOf(moment: string | bigint, { actorId }: SignedIn, reason?: string): Promise<AsOfView> {
  const { build } = await auditing().post('as-of', { at: String(moment), actor: actorId });
  const look = { position: build.position, actor: actorId };
  const answer = () =>
    reason === undefined
      ? auditing().get('as-of/:position', look)
      : auditing().post('as-of/:position/texts', { ...look, reason });
  return until(async () => (await answer()).view);
}

async function asOfByCommand(moment: string, { actorId }: SignedIn, reason?: string): Promise<AsOfView> {
  const args = ['as-of', moment, '--json', ...(reason === undefined ? [] : ['--reason', reason])];
  const env = { ...network.env, OPERATOR_TOKEN: auditor.token };
  const { code, stdout, stderr } = await runPlaza([...args, `--actor=${actorId}`], env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as AsOfView;
}

async function requestOver(method: string, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${network.env['OPERATOR_PORT']}${path}`, {
    method,
    headers: { authorization: `Bearer ${auditor.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const idsIn = ({ items }: AsOfView['timeline']) => items.map(({ id }) => id);
const found = ({ timeline }: AsOfView, postId: string) => timeline.items.find(({ id }) => id === postId);

const recordedIn = async (stream: string) =>
  (await opened.log.read(stream)).map(({ event: { type, data }, metadata: { reason, operatorId } }) => ({
    type,
    data,
    reason,
    operatorId,
  }));

const looks = () => looksOf(opened.log, auditor.operatorId);

const schemas = async () =>
  (
    await database.query<{ name: string }>(
      `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'as_of_%'`,
    )
  ).rows.length;

const incarnationOf = async (position: number) =>
  (
    await database.query<{ incarnation: string | null }>(
      'SELECT incarnation FROM recovery.as_of WHERE position = $1::numeric',
      [position],
    )
  ).rows[0]?.incarnation;

const served = async () =>
  (
    await database.query<{ incarnation: string; kept: string }>(
      `SELECT publication.incarnation, (SELECT count(*) FROM recovery.incarnation WHERE NOT versions ? 'as_of') AS kept
      FROM recovery.publication`,
    )
  ).rows;

it('shows the posts of an author whom the actor blocked later, and does not after the block', async () => {
  const [before, after] = [await asOf(deleted, ada), await asOf(blocked, ada)];
  expect(idsIn(before.timeline)).toEqual([posts.doras, posts.edited, posts.kept]);
  expect(before.following.items.toSorted()).toEqual([bob.actorId, dora.actorId].toSorted());
  expect(before.blocks.items).toEqual([]);
  expect(found(before, posts.kept)).toMatchObject({ texts: 'public', text: 'kept text' });
  expect(idsIn(after.timeline)).toEqual([posts.doras]);
  expect(after.following.items).toEqual([dora.actorId]);
  expect(after.blocks.items).toEqual([bob.actorId]);
  expect([Number(blocked), after.note]).toEqual([after.position, expect.stringContaining("today's code")]);
});

it('takes a time on the command line, and shows what the log had then', async () => {
  const view = await asOfByCommand(time, ada);
  expect(view.position).toBeGreaterThanOrEqual(Number(deleted));
  expect(view.position).toBeLessThan(Number(blocked));
  expect(view.at).toBeLessThanOrEqual(Date.parse(time));
  expect(idsIn(view.timeline)).toContain(posts.kept);
  expect(idsIn(view.timeline)).not.toContain(posts.deleted);
  const { stdout } = await runPlaza(['as-of', time, `--actor=${ada.actorId}`], network.env);
  expect(stdout).toContain(`position ${view.position}, under today's code`);
  expect(stdout).toMatch(/timeline \(\d\)\n(.*\n)*.*by \S+ \(@p_\w+\)\n {4}kept text\n/);
});

it('shows a post that was deleted since, and its text only as a disclosure', async () => {
  const plain = await asOf(deleted - 1n, ada);
  const eventId = found(plain, posts.deleted)?.eventId;
  expect(found(plain, posts.deleted)).toMatchObject({ texts: 'hidden', text: null });
  expect(found(plain, posts.edited)).toMatchObject({ texts: 'hidden', text: null });
  expect(JSON.stringify(plain)).not.toMatch(/deleted text|former text|newer text/);
  const disclosed = await asOf(deleted - 1n, ada, 'a court order');
  expect(found(disclosed, posts.deleted)).toMatchObject({
    texts: 'disclosed',
    text: 'deleted text',
    eventId,
  });
  expect(found(disclosed, posts.edited)).toMatchObject({ texts: 'disclosed', text: 'former text' });
  expect(found(disclosed, posts.kept)).toMatchObject({ texts: 'public', text: 'kept text' });
  const by = { operatorId: auditor.operatorId, reason: 'a court order' };
  const recorded = await recordedIn(streams.operatorDisclosures(auditor.operatorId));
  expect(recorded.filter(({ reason }) => reason === by.reason)).toMatchObject([
    { type: 'text.disclosed', ...by, data: { eventId, postId: posts.deleted, actorId: bob.actorId } },
    { type: 'text.disclosed', ...by, data: { postId: posts.edited, actorId: bob.actorId } },
  ]);
});

it('shows a former profile only as a disclosure, and never an e-mail address', async () => {
  expect((await asOf(deleted, bob)).profile).toMatchObject({ texts: 'hidden', fields: null, posts: 2 });
  const view = await asOf(deleted, bob, 'a complaint');
  expect(view.profile).toMatchObject({ texts: 'disclosed', fields: { bio: 'former bio' } });
  expect(view.followers.items).toEqual([ada.actorId]);
  expect(JSON.stringify(await asOf(deleted, ada, 'a complaint'))).not.toContain('example.org');
});

it('keeps no text in its schema', async () => {
  await asOf(deleted, ada, 'a test');
  const { rows } = await database.query<{ schema_name: string }>(
    `SELECT schema_name FROM recovery.incarnation WHERE versions ? 'as_of'`,
  );
  for (const { schema_name: schema } of rows) {
    const { rows: kept } = await database.query<{ kept: string }>(
      `SELECT coalesce(string_agg(post::text, ''), '') AS kept FROM ${schema}.post
      UNION ALL SELECT coalesce(string_agg(actor::text, ''), '') FROM ${schema}.actor`,
    );
    expect(JSON.stringify(kept)).not.toMatch(/text of dora|kept text|former|Person p_/);
  }
});

it('records the first look of an hour before the answer, and none while a build is not made', async () => {
  const of = ({ actorId }: SignedIn) => ({ actorId, position: String(blocked) });
  await asOf(blocked, ada);
  await asOf(blocked, bob);
  await asOf(blocked, bob);
  await requestOver('GET', '/operator/as-of');
  const recorded = (await looks()).filter(({ position }) => position === String(blocked));
  expect(recorded).toHaveLength(2);
  expect(recorded).toEqual(expect.arrayContaining([of(ada), of(bob)]));
  const { stdout } = await runPlaza(
    ['audit', '--wait', '--json', `actor:${bob.actorId}`, 'type:look.recorded'],
    network.env,
  );
  expect(stdout).toContain(auditor.operatorId);
});

it('answers 503 and no text while the log is down', async () => {
  const { position } = await asOf(deleted - 1n, ada);
  const path = `/operator/as-of/${position}/texts`;
  const eventStore = network.pids().eventStore ?? 0;
  process.kill(eventStore, 'SIGSTOP');
  try {
    const answer = await requestOver('POST', path, { actor: ada.actorId, reason: 'a test' });
    expect([answer.status, answer.text]).toEqual([503, expect.not.stringMatching(/text"|kept|deleted text/)]);
  } finally {
    process.kill(eventStore, 'SIGCONT');
  }
});

it('leaves erased text erased, whether it was built before the erasure or after', async () => {
  const between = positionOf(await dora.say('another text of dora'));
  expect(found(await asOf(between, ada), posts.doras)).toMatchObject({ text: 'text of dora' });
  await operatorOf(network).post('accounts/:id/erase', { id: dora.actorId, delayMs: 0, reason: 'asked for' });
  await until(async () => (await ada.get(`/api/actors/${dora.actorId}`)).status === 404);
  for (const moment of [between, between - 1n])
    expect(JSON.stringify(await asOf(moment, ada, 'a test'))).not.toContain('text of dora');
  await expect(asOf(between - 1n, dora, 'a test')).rejects.toThrow('or they were erased since');
});

it('goes on with a build whose worker was killed', async () => {
  const position = positionOf(await ada.say('a moment of its own'));
  await database.query(`
    SELECT pg_advisory_lock(${GATE});
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NEW; END $$;
    CREATE TRIGGER gate BEFORE UPDATE OF build_state ON recovery.incarnation FOR EACH ROW
      WHEN (NEW.versions ? 'as_of' AND NEW.build_state = 'finishing') EXECUTE FUNCTION wait_at_gate()`);
  const { build } = await auditing().post('as-of', { at: String(position), actor: ada.actorId });
  const waits = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted`;
  await until(async () => (await database.query(waits)).rowCount === 1);
  const begun = await incarnationOf(build.position);
  process.kill(network.pids().worker ?? 0, 'SIGKILL');
  await database.query(`SELECT pg_advisory_unlock(${GATE})`);
  await database.query('DROP TRIGGER gate ON recovery.incarnation; DROP FUNCTION wait_at_gate');
  expect((await asOf(position, ada)).posts.items[0]).toMatchObject({ text: 'a moment of its own' });
  expect([begun, await incarnationOf(build.position)]).toEqual([expect.any(String), begun]);
});

it('builds one moment at a time, and says which', async () => {
  const [first, second] = [positionOf(await ada.say('one')), positionOf(await ada.say('two'))];
  // The worker also fills the audit, in which a moment is found: a request waits 20 seconds for an event that it lacks.
  await until(async () =>
    (await operatorOf(network).get('projections')).projections.every(({ lag }) => lag === 0),
  );
  const worker = network.pids().worker ?? 0;
  process.kill(worker, 'SIGSTOP');
  try {
    const { build } = await auditing().post('as-of', { at: String(first), actor: ada.actorId });
    expect(build).toMatchObject({ state: 'requested', position: Number(first) });
    await expect(auditing().post('as-of', { at: String(second), actor: ada.actorId })).rejects.toThrow(
      `position ${first}`,
    );
    expect((await auditing().post('as-of', { at: String(first), actor: bob.actorId })).build.position).toBe(
      build.position,
    );
  } finally {
    process.kill(worker, 'SIGCONT');
  }
  expect((await asOf(first, ada)).posts.items[0]).toMatchObject({ text: 'one' });
});

it('keeps a build for a day and three at most, and leaves what is served alone', async () => {
  const serving = await served();
  const moments = [blocked, deleted, deleted - 1n, positionOf(await ada.say('a fourth'))];
  for (const moment of moments) await asOf(moment, ada);
  await until(async () => (await schemas()) === 3);
  const housekeeping = (before: number) =>
    dropBuilds(database, {
      before: new Date(before),
      versions: asOfVersionsOf(servingWith(readConfig(network.env))),
      logger: pino({ level: 'silent' }),
    });
  await housekeeping(Date.now() - DAY_MS);
  expect(await schemas()).toBe(3);
  await housekeeping(Date.now() + 1);
  expect([await schemas(), await served()]).toEqual([0, serving]);
  expect((await ada.get('/api/timeline')).status).toBe(200);
  const gone = await requestOver('GET', `/operator/as-of/${blocked}?actor=${ada.actorId}`);
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('request it again')]);
});

it('is a form of the console, a page that waits, and the view, without a script', async () => {
  const { operatorBaseUrl } = readConfig(network.env);
  const { browser } = await enrollInConsole(operatorBaseUrl, operatorOf(network), ['auditor']);
  const start = await browser.open(`${operatorBaseUrl}/console/as-of`);
  const form = start.forms.find(({ action }) => action === '/console/as-of')!;
  let page = await browser.submit(start, form, { at: String(deleted - 1n), actor: ada.actorId });
  expect(page.url.pathname).toMatch(/^\/console\/as-of\/\d+$/);
  page = await until(async () => {
    if (!page.text.includes('follow=no')) return page;
    page = await browser.open(page.url);
    return undefined;
  });
  expect(page.text).toContain("under today's code");
  expect(page.text).toContain('kept text');
  expect(page.text).not.toContain('deleted text');
  const disclose = page.forms.find(({ action }) => action.endsWith('/texts'))!;
  expect((await browser.submit(page, disclose, {})).text).toContain('reason: say why');
  expect((await browser.submit(page, disclose, { reason: 'a complaint' })).text).toContain('deleted text');
});

it.each([
  ['yesterday', 'must be a time'],
  ['2999-01-01', 'lies ahead'],
  ['999999999999', 'lies ahead'],
  ['1999-01-01', 'before the first event'],
])('refuses the moment %s', async (moment, message) => {
  await expect(asOf(moment, ada)).rejects.toThrow(message);
});
