/**
 * One person, from before the erasure to the restore of an older backup.
 *
 * @sample first
 * @slow
 */
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { startApiProcess } from '../support/api-process.js';
import { runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { sleep } from '../../src/base/support/sleep.js';
import { until } from '../support/until.js';

const scope =
  'openid offline_access read post:create post:edit profile:write relation:write block:write report:create';
/** Found nowhere by chance. */
const MARKER = 'xyzzyplughfrotz';
/** A text that stays. */
const CONTROL = 'what others wrote';

describe('an erased person', () => {
  let network: TestNetwork;
  let application: Application;
  let ada: SignedIn;
  let bob: SignedIn;
  let post: string;
  let reply: string;
  let logBefore: string;
  let handle: string;
  let address: string;
  let key: Buffer;

  const idOf = ({ body }: Answer): string => body.post.id;
  const database = async <Row>(url: string | undefined, sql: string): Promise<Row[]> => {
    const client = new Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.end();
    }
  };
  const erase = () =>
    runPlaza(['account', 'erase', '--reason', 'asked for', '--json', '--', ada.actorId], network.env);
  /** Not by grep: a key may have the byte of a line's end. */
  const filesWith = (text: string | Buffer, dir: string): string[] =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => contentsOf(path)?.includes(text));

  /** Undefined: renamed or removed meanwhile, as Postgres does with segments. */
  const contentsOf = (path: string): Buffer | undefined => {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };

  const keyOf = async (actorId: string): Promise<Buffer> => {
    const sql = `SELECT key FROM person_key WHERE person_id = '${actorId}'`;
    const [row] = await database<{ key: Buffer }>(network.env['VAULT_DATABASE_URL'], sql);
    return row!.key;
  };
  /** The files of all databases, with their write-ahead log. */
  const postgres = () => join(realpathSync(join(network.dataDir, 'postgres')), 'data');
  const journal = () => join(postgres(), 'pg_wal');

  beforeAll(async () => {
    network = await startNetwork();
    application = await registerApplication(network);
    [ada, bob] = [
      await personWithToken(network, application, scope),
      await personWithToken(network, application, scope),
    ];
    post = idOf(await ada.say(`${MARKER} first`));
    await ada.patch(`/api/posts/${post}`, { intentId: 'edit', revision: 1, text: `${MARKER} edited` });
    reply = idOf(await bob.say(CONTROL, { parentId: post }));
    await ada.say(`${MARKER} reply`, { parentId: reply });
    handle = `h${MARKER}`;
    // Incompressible, so that it is found as it is.
    await ada.say(`${MARKER} long ${randomBytes(1_200).toString('hex')}`);
    await ada.patch('/api/profile', {
      intentId: 'bio',
      revision: 1,
      bio: `${MARKER} biography`,
      displayName: `${MARKER} name`,
      handle,
    });
    const [account] = await database<{ email: string }>(
      network.env['DATABASE_URL'],
      `SELECT email FROM authority.account WHERE actor_id = '${ada.actorId}'`,
    );
    address = account!.email;
    await ada.post('/api/reports', { intentId: 'r', actorId: bob.actorId, reason: 'other', text: MARKER });
    await bob.put(`/api/relations/follow/${ada.actorId}`, { intentId: 'follow' });
    logBefore = join(network.dataDir, 'log-before');
    cpSync(join(network.dataDir, 'eventstore'), logBefore, { recursive: true });
  });
  afterAll(() => network.stop());

  const tablesWith = async (text: string): Promise<string[]> => {
    const found: string[] = [];
    for (const name of ['DATABASE_URL', 'VAULT_DATABASE_URL', 'WITNESS_DATABASE_URL']) {
      const client = new Client(network.env[name]);
      await client.connect();
      const tables = await client.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
        UNION ALL SELECT 'pg_stats'`,
      );
      for (const { name: table } of tables.rows) {
        const { rowCount } = await client.query(
          `SELECT FROM ${table} t WHERE t::text LIKE '%${text}%' LIMIT 1`,
        );
        if (rowCount) found.push(`${name} ${table}`);
      }
      await client.end();
    }
    return found;
  };

  test('appears in no table, log file or answer, and cannot act', async () => {
    // Autovacuum does the same from time to time.
    await database(network.env['DATABASE_URL'], 'ANALYZE');
    expect(await tablesWith(MARKER)).not.toEqual([]);
    key = await keyOf(ada.actorId);
    const inVault = (sql: string) => database(network.env['VAULT_DATABASE_URL'], sql);
    await inVault('CREATE TABLE copied_key (key bytea)');
    // The header of a page may part the key in one record of the journal. The record of an UPDATE leaves unchanged bytes out.
    for (let times = 0; times < 3; times += 1)
      await inVault(`INSERT INTO copied_key SELECT key FROM person_key WHERE person_id = '${ada.actorId}'`);
    await inVault('DROP TABLE copied_key');
    expect(filesWith(key, journal())).not.toEqual([]);
    expect(filesWith(MARKER, journal())).not.toEqual([]);
    const racing = Promise.all([1, 2, 3, 4, 5].map((each) => ada.say(`${MARKER} race ${each}`)));
    const erased = await erase();
    expect(erased).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(erased.stdout)).toMatchObject({ changed: true, revision: 2 });
    for (const { status } of await racing) expect([200, 401, 403]).toContain(status);
    expect(await ada.get('/api/profile')).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(await bob.get(`/api/posts/${post}`)).toMatchObject({ status: 404 });
    expect(await bob.get(`/api/actors/${ada.actorId}`)).toMatchObject({ status: 404 });
    expect(await bob.get(`/api/posts/${reply}`)).toMatchObject({
      status: 200,
      body: { post: { text: CONTROL, parentUnavailable: true } },
    });
    expect(await until(async () => (await tablesWith(MARKER)).length === 0)).toBe(true);
    expect(filesWith(MARKER, logBefore)).toEqual([]);
    expect(filesWith(MARKER, join(network.dataDir, 'eventstore'))).toEqual([]);
    const audit = await runPlaza(['audit', '--actor', ada.actorId, '--wait'], network.env);
    expect(audit.stdout).toContain('account.erased');
    expect(audit.stdout).not.toContain(MARKER);
  });

  test('is in no file of any database after the rewrites and a checkpoint', async () => {
    const pending = async () => {
      const answer = await operatorOf(network).post('accounts/:id/erase', {
        id: ada.actorId,
        delayMs: 0,
        reason: 'asked for',
      });
      return answer.pending ?? [];
    };
    expect(await until(async () => (await pending()).every(({ state }) => state === 'checkpoint'))).toBe(
      true,
    );
    const metrics = await (await fetch(`http://localhost:${network.env['OPERATOR_PORT']}/metrics`)).text();
    expect(metrics).toContain('plaza_erasure_pending_tables{state="rewrite"} 0');
    expect(metrics).toMatch(/plaza_erasure_pending_tables\{state="checkpoint"\} [1-9]/);
    // A stopping Postgres writes a checkpoint, of which it keeps the whole second; a running one does so after some minutes.
    await sleep(1_500);
    await network.restart();
    const erased = {
      key,
      address,
      handle,
      name: `${MARKER} name`,
      biography: `${MARKER} biography`,
      text: MARKER,
    };
    const found = Object.entries(erased).flatMap(([what, bytes]) =>
      filesWith(bytes, postgres()).map((file) => `${what} in ${relative(postgres(), file)}`),
    );
    expect(found).toEqual([]);
    expect(filesWith(CONTROL, postgres())).not.toEqual([]);
    expect(filesWith(await keyOf(bob.actorId), postgres())).not.toEqual([]);
    // The newest checkpoint is younger than the rewrites.
    expect(await until(async () => (await pending()).length === 0)).toBe(true);
  });

  test('stays erased in rebuilt read models', async () => {
    const observe = async () => ({
      post: (await bob.get(`/api/posts/${post}`)).status,
      actor: (await bob.get(`/api/actors/${ada.actorId}`)).status,
      reply: (await bob.get(`/api/posts/${reply}`)).body,
      thread: (await bob.get(`/api/posts/${reply}/replies`)).body.posts,
      following: (await bob.get(`/api/actors/${bob.actorId}`)).body,
    });
    const before = await observe();
    const incarnation = async () => (await bob.get('/api/profile')).headers.get('x-network-incarnation');
    const old = await incarnation();
    const rebuilt = await runPlaza(['projections', 'rebuild', '--reason', 'a test', '--json'], network.env);
    expect(rebuilt.code).toBe(0);
    expect(await until(async () => (await incarnation()) !== old)).toBe(true);
    expect(await observe()).toEqual(before);
    expect(await tablesWith(MARKER)).toEqual([]);
  });

  test('is erased once the delay is over, unless the erasure was cancelled', async () => {
    const act = (verb: string, { actorId }: SignedIn, ...args: string[]) =>
      runPlaza(['account', verb, '--reason', 'a test', '--json', ...args, '--', actorId], network.env);
    const [kept, due] = [bob, await personWithToken(network, application, scope)];
    const [later, soon] = await Promise.all([
      act('erase', kept, '--delay', '7d'),
      act('erase', due, '--delay', '1s'),
    ]);
    expect([later.code, soon.code]).toEqual([0, 0]);
    expect(await until(async () => (await due.get('/api/profile')).status === 401)).toBe(true);
    expect((await bob.get(`/api/actors/${due.actorId}`)).status).toBe(404);
    const { code, stdout } = await act('cancel-erasure', kept);
    expect([code, JSON.parse(stdout)]).toEqual([0, { changed: true, revision: 1 }]);
    expect((await kept.get('/api/profile')).status).toBe(200);
  });

  test('is erased once, and the handle becomes free', async () => {
    expect(JSON.parse((await erase()).stdout)).toMatchObject({ changed: false, revision: 2 });
    const another = {
      handle,
      displayName: 'Another',
      email: 'a@example.org',
      password: 'correct horse battery',
    };
    const { actorId } = await operatorOf(network).post('accounts', another);
    expect(actorId).not.toBe(ada.actorId);
    await operatorOf(network).post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'again' });
    const again = await operatorOf(network).post('accounts', another);
    expect(again.actorId).not.toBe(actorId);
  });

  test('has no key after a restore of an older vault', async () => {
    const vault = network.env['VAULT_DATABASE_URL'];
    await database(
      vault,
      `UPDATE person_key SET key = '\\x0101', destroyed_at = NULL WHERE person_id = '${ada.actorId}'`,
    );
    // A process checks at its start.
    const starting = await startApiProcess(network);
    const destroyed = () =>
      database(vault, `SELECT FROM person_key WHERE person_id = '${ada.actorId}' AND key IS NULL`);
    expect(await until(async () => (await destroyed()).length === 1)).toBe(true);
    await starting.stop();
  });
});
