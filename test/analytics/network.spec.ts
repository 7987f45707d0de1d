/**
 * Contents of an export of a whole network, and the texts that it leaves out.
 * @slow
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { exportDataSet } from '../../src/analytics/export/export-data-set.js';
import { ExportPermission } from '../../src/analytics/export/permission.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import { readConfig } from '../../src/base/config/config.js';
import { readRunFile } from '../../src/launch/run-file.js';
import { operatorClient } from '../support/operator-client.js';
import type { EventType } from '../../src/log/registry.js';
import { operatorOf, registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { enrollOperator } from '../support/operators.js';
import type { EnrolledOperator } from '../support/operators.js';
import { until } from '../support/until.js';
import { committedRows } from './support/export-bench.js';
import { acts } from './support/history.js';
import { live, LivelyNetwork } from './support/lively-network.js';

interface Audited {
  readonly position: number;
  readonly eventId: string;
  readonly at: number;
  readonly type: string;
  readonly actorId: string | null;
  readonly appId: string | null;
  readonly grantId: string | null;
  readonly intentId: string | null;
  readonly requestId: string;
  readonly operatorId: string | null;
  readonly reason: string | null;
  readonly subject: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

const names = new Map<string, string>();
let network: TestNetwork;
let lively: LivelyNetwork;
let root: string;
let dir: string;
let audited: readonly Audited[];

beforeAll(async () => {
  network = await startNetwork();
  lively = new LivelyNetwork(network);
  root = newDataDir();
  await live(lively, root);
  dir = join(root, 'set');
  // The look at everything is an event too: later searches of this hour add none.
  await audit('--limit', '1');
  await plaza('export', dir);
  // Two processes may have recorded a later time first.
  audited = (await audit()).toSorted((a, b) => a.position - b.position);
  for (const { appId, name } of requireState(dir).applications) names.set(appId, name);
});

afterAll(async () => {
  await network?.stop();
  if (root) rmSync(root, { recursive: true });
});

/** Newest first. */
async function audit(...terms: readonly string[]): Promise<readonly Audited[]> {
  const { code, stdout, stderr } = await runPlaza(['audit', '--wait', ...terms], network.env);
  if (code !== 0) throw new Error(stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Audited);
}

/** Without EVENTSTORE_URL, so that the address comes from `run.json`. */
async function plaza(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runPlaza(['analytics', ...args], {
    DATA_DIR: network.dataDir,
    OPERATOR_PORT: network.env['OPERATOR_PORT'],
  });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const query = async (sql: string, target = dir): Promise<readonly Json[]> =>
  (await plaza('query', target, sql))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const weekOf = (at: number) => {
  const day = Math.floor(at / 86_400_000);
  return (day - ((day + 3) % 7)) * 86_400_000;
};

/** An operator revoked the grants of an application. */
const isThroughApp = ({ appId, type }: Audited) => appId !== null && type !== 'grant.revoked';

/** Groups in the order in which the query sorts them, with a row for each. */
function counted<Event>(
  events: readonly Event[],
  keyOf: (event: Event) => readonly string[],
  rowOf: (key: readonly string[], of: readonly Event[]) => Json,
): readonly Json[] {
  const groups = Map.groupBy(events, (event) => JSON.stringify(keyOf(event)));
  return [...groups.keys()]
    .toSorted()
    .map((key) => rowOf(JSON.parse(key) as string[], groups.get(key) ?? []));
}

/** Follows have one id for the relation's target and its actor. */
function actOf({ type, subject }: Audited): string {
  if (!type.startsWith('relation.')) return type;
  return `${type} (${subject['targetId'] === subject['targetActorId'] ? 'follow' : 'like'})`;
}

const targetOf = ({ subject }: Audited): string | undefined =>
  subject['targetActorId'] ?? subject['parentAuthorActorId'];

const distinct = (values: readonly unknown[]) => new Set(values).size;
const nameOf = (appId: string | undefined) => names.get(appId ?? '') ?? null;

it('an export has each event that the audit has', async () => {
  expect(await query('SELECT position, type FROM events ORDER BY position')).toEqual(
    audited.map(({ position, type }) => ({ position, type })),
  );
});

describe('each view equals a count of what plaza audit prints:', () => {
  it('daily_active', async () => {
    const activity = audited.filter(
      ({ actorId, type }) => actorId !== null && acts.includes(type as EventType),
    );
    expect(activity.length).toBeGreaterThan(5);
    expect(await query('SELECT day, active FROM daily_active WHERE active > 0 ORDER BY day')).toEqual(
      counted(
        activity,
        ({ at }) => [dayOf(at)],
        ([day], of) => ({ day, active: distinct(of.map(({ actorId }) => actorId)) }),
      ),
    );
  });

  it('retention', async () => {
    const registered = audited.filter(({ type }) => type === 'account.registered');
    const [cohort = 0, ...others] = [...new Set(registered.map(({ at }) => weekOf(at)))].toSorted(
      (a, b) => a - b,
    );
    expect(others).toEqual([]);
    const people = registered.map(({ subject }) => subject['actorId']);
    const acting = new Set(
      audited
        .filter(({ at, type }) => weekOf(at) === cohort && acts.includes(type as EventType))
        .map(({ actorId }) => actorId),
    );
    const active = people.filter((actorId) => acting.has(actorId ?? '')).length;
    expect(await query('SELECT * EXCLUDE (is_complete) FROM retention WHERE weeks_later = 0')).toEqual([
      { cohort: dayOf(cohort), weeks_later: 0, people: people.length, active, share: active / people.length },
    ]);
  });

  it('posts_per_app', async () => {
    const posts = audited.filter(({ type }) => type === 'post.created');
    expect(posts).toHaveLength(4);
    expect(
      await query('SELECT * EXCLUDE is_complete FROM posts_per_app WHERE posts > 0 ORDER BY day, app_id'),
    ).toEqual(
      counted(
        posts,
        ({ at, subject }) => [dayOf(at), subject['appId'] ?? ''],
        ([day, appId], of) => ({
          day,
          app_id: appId,
          app: nameOf(appId),
          posts: of.length,
          authors: distinct(of.map(({ subject }) => subject['authorActorId'])),
        }),
      ),
    );
  });

  it('grant_churn', async () => {
    const grants = audited.filter(({ type }) => ['grant.issued', 'grant.revoked'].includes(type));
    const active = new Map<string, number>();
    const expected = counted(
      grants,
      ({ at, subject }) => [dayOf(at), subject['appId'] ?? ''],
      ([day, appId = ''], of) => {
        const issued = of.filter(({ type }) => type === 'grant.issued').length;
        const revoked = of.length - issued;
        const before = active.get(appId) ?? 0;
        active.set(appId, before + issued - revoked);
        return {
          day,
          app_id: appId,
          app: nameOf(appId),
          issued,
          revoked,
          expired: 0,
          active: before + issued - revoked,
        };
      },
    );
    expect(expected.some(({ revoked }) => Number(revoked) > 0)).toBe(true);
    expect(
      await query(
        'SELECT * EXCLUDE (is_complete) FROM grant_churn WHERE issued + revoked > 0 ORDER BY day, app_id',
      ),
    ).toEqual(expected);
  });

  it('app_impact', async () => {
    const through = audited.filter(isThroughApp);
    const expected = counted(
      through,
      ({ at, appId, type }) => [appId ?? '', new Date(at).toISOString().slice(0, 13), type],
      ([appId, hour, type], of) => ({
        app_id: appId,
        app: nameOf(appId),
        hour,
        type,
        events: of.length,
        actors: distinct(of.flatMap(({ actorId }) => actorId ?? [])),
      }),
    );
    expect(distinct(expected.map(({ app }) => app))).toBe(2);
    expect(
      await query(
        "SELECT * EXCLUDE is_complete REPLACE (strftime(hour, '%Y-%m-%dT%H') AS hour) FROM app_impact ORDER BY app_id, hour, type",
      ),
    ).toEqual(expected);
  });

  it('app_reach', async () => {
    const through = audited.filter(isThroughApp);
    const expected = counted(
      through,
      (event) => [event.appId ?? '', actOf(event)],
      ([appId, act], of) => ({
        app_id: appId,
        app: nameOf(appId),
        act,
        events: of.length,
        actors: distinct(of.flatMap(({ actorId }) => actorId ?? [])),
        targets: distinct(
          of.flatMap((event) => {
            const target = targetOf(event);
            return target === undefined || target === event.actorId ? [] : target;
          }),
        ),
      }),
    );
    expect(Math.max(...expected.map(({ targets }) => Number(targets)))).toBeGreaterThan(0);
    expect(await query('SELECT * EXCLUDE is_complete FROM app_reach ORDER BY app_id, act')).toEqual(expected);
  });

  it('busy_hours', async () => {
    const events = audited.filter(({ actorId, type }) => actorId !== null && type !== 'grant.refreshed');
    expect(
      await query(
        "SELECT weekday::VARCHAR AS weekday, lpad(hour::VARCHAR, 2, '0') AS hour, events, actors FROM busy_hours WHERE events > 0 ORDER BY 1, 2",
      ),
    ).toEqual(
      counted(
        events,
        ({ at }) => [String(new Date(at).getUTCDay() || 7), new Date(at).toISOString().slice(11, 13)],
        ([weekday, hour], of) => ({
          weekday,
          hour,
          events: of.length,
          actors: distinct(of.map(({ actorId }) => actorId)),
        }),
      ),
    );
  });

  it('report_decisions', async () => {
    const reports = audited.filter(({ type }) => type === 'report.created');
    const decision = audited.find(({ type }) => type === 'case.decided');
    expect([reports.length, decision?.subject['postId']]).toEqual([1, reports[0]?.subject['postId']]);
    expect(
      await query(
        'SELECT epoch_ms(reported_at) AS reported, reason, epoch_ms(decided_at) AS decided FROM report_decisions ORDER BY reported',
      ),
    ).toEqual(reports.map(({ at }) => ({ reported: at, reason: 'spam', decided: decision?.at })));
  });

  it('attention', async () => {
    const first = new Set<string>();
    const received = audited.flatMap((event) => {
      const { type, subject } = event;
      if (type !== 'relation.established' && type !== 'post.created') return [];
      const to = targetOf(event);
      const by = subject['actorId'] ?? subject['authorActorId'];
      const tie = type === 'post.created' ? subject['postId'] : `${by} ${subject['targetId']}`;
      if (to === undefined || to === by || first.has(tie ?? '')) return [];
      first.add(tie ?? '');
      return [{ to, act: actOf(event) }];
    });
    const of = (person: string | undefined, act: string) =>
      received.filter((each) => each.to === person && each.act === act).length;
    const expected = audited
      .filter(({ type }) => type === 'account.registered')
      .map(({ subject: { actorId } }) => ({
        follows: of(actorId, 'relation.established (follow)'),
        likes: of(actorId, 'relation.established (like)'),
        replies: of(actorId, 'post.created'),
      }))
      .map(({ follows, likes, replies }) => ({
        follows,
        likes,
        replies,
        attention: follows + likes + replies,
      }));
    const ordered = (rows: readonly Json[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    expect(received.length).toBeGreaterThanOrEqual(4);
    expect(ordered(await query('SELECT * EXCLUDE (actor_id, is_complete) FROM attention'))).toEqual(
      ordered(expected),
    );
  });

  it('the view of each type', async () => {
    const types = [...new Set(audited.map(({ type }) => type))].toSorted();
    expect(types.length).toBeGreaterThan(10);
    const counts = types.map(
      (type) => `SELECT '${type}' AS type, count(*) AS events FROM ${type.replaceAll('.', '_')}`,
    );
    expect(await query(`${counts.join(' UNION ALL ')} ORDER BY type`)).toEqual(
      types.map((type) => ({ type, events: audited.filter((event) => event.type === type).length })),
    );
  });
});

describe('privacy', () => {
  it.each(['none', 'encrypted'])(
    'no column of an export with --personal %s has a text, name, address, mention, intent or reason',
    async (personal) => {
      const target = join(root, `columns-${personal}`);
      await plaza('export', target, '--personal', personal);
      const views = await openViews(target);
      try {
        const columns = await views.query('DESCRIBE events', (result) => result.getRowObjectsJson());
        expect(columns.length).toBeGreaterThan(25);
        for (const { column_name: column } of columns) {
          const values = await views.query(
            `SELECT DISTINCT CAST("${column as string}" AS VARCHAR) AS value FROM events`,
            (result) => result.getColumnsJson(),
          );
          expect(found(Buffer.from(JSON.stringify(values)))).toEqual([]);
        }
        const known = await views.query('SELECT DISTINCT by_app_id FROM events', (result) =>
          result.getRowsJson(),
        );
        expect(known.flat()).toEqual(expect.arrayContaining([...names.keys()]));
      } finally {
        views.close();
      }
      expect(found(readFileSync(join(target, 'applications.json')))).toEqual([]);
      await plaza('report', target);
      expect(found(readFileSync(join(target, 'report.html')))).toEqual([]);
      const rows = await committedRows(target);
      const ciphertexts = rows.filter((row) => row['personal'] !== undefined);
      expect(ciphertexts.length > 0).toBe(personal === 'encrypted');
    },
  );

  it.each(['none', 'encrypted'])(
    'no byte of an uncompressed export with --personal %s is of such a text',
    async (personal) => {
      const target = join(root, `bytes-${personal}`);
      await plaza('export', target, '--personal', personal, '--compression', 'none');
      const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
      expect(found(bytes)).toEqual([]);
      // The search finds what is exported in clear.
      const [first] = await committedRows(target);
      for (const clear of [String(first?.['event_id']), ...names.keys(), 'relation.established'])
        expect(bytes.includes(clear)).toBe(true);
    },
  );

  /** The secrets in these bytes, whatever the case of their letters. */
  function found(bytes: Buffer): readonly string[] {
    const secrets = new Set(lively.secrets);
    for (const { subject, actorId, grantId, intentId, requestId } of audited) {
      const { appId: _app, ...ids } = subject;
      for (const id of Object.values({ ...ids, actorId, grantId, intentId, requestId }))
        if (id !== null) secrets.add(id);
    }
    expect(secrets.size).toBeGreaterThan(60);
    const text = bytes.toString('latin1').toLowerCase();
    return [...secrets].filter((secret) => text.includes(secret.toLowerCase()));
  }
});

describe('what an operator is shown of a data set', () => {
  const POSTS = 'SELECT event_id, type, personal FROM post_created ORDER BY position';
  let encrypted: string;
  let auditor: EnrolledOperator;

  beforeAll(async () => {
    encrypted = join(root, 'encrypted');
    await plaza('export', encrypted, '--personal', 'encrypted');
    auditor = await enrollOperator(operatorOf(network), ['auditor']);
  });

  /** Without the directory of the network, so that the vault is out of reach. */
  const withToken = (token: string, ...args: readonly string[]) =>
    runPlaza(['analytics', ...args], {
      OPERATOR_PORT: network.env['OPERATOR_PORT'],
      OPERATOR_TOKEN: token,
      DATA_DIR: join(root, 'no-network'),
    });

  const textsIn = async (dir: string) => {
    const { code, stdout, stderr } = await withToken(
      auditor.token,
      'query',
      dir,
      POSTS,
      '--decrypt',
      '--reason',
      'a court order',
    );
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.trim().split('\n');
    return rows.map(
      (line) => (JSON.parse(line) as { personal: { text: string } | null }).personal?.text ?? null,
    );
  };

  const disclosures = () => audit('--type', 'analytics.disclosed');

  it('texts, recorded before they are shown, and null in any copy once their author is erased', async () => {
    const [session] = (await lively.person(await registerApplication(network, 'Eraser'))) as [SignedIn];
    await lively.post(session, { text: 'a text that will be erased' });
    const source = join(root, 'of-the-erased');
    const copy = join(root, 'copied-long-ago');
    await plaza('export', source, '--personal', 'encrypted');
    cpSync(source, copy, { recursive: true });
    rmSync(join(copy, 'key'));
    const before = await textsIn(copy);
    expect(before.at(-1)).toBe('a text that will be erased');
    expect(before).not.toContain(null);
    const [newest] = await disclosures();
    expect(newest).toMatchObject({ operatorId: auditor.operatorId, reason: 'a court order' });
    await lively.operate('account', 'erase', session.actorId);
    expect(await textsIn(copy)).toEqual([...before.slice(0, -1), null]);
    expect(await textsIn(source)).toEqual([...before.slice(0, -1), null]);
  });

  it('nothing without the role, a reason, the columns, or a ciphertext of this network', async () => {
    const before = (await disclosures()).length;
    const moderator = await enrollOperator(operatorOf(network), ['moderator']);
    const decrypt = ['--decrypt', '--reason', 'curiosity'];
    const forged = POSTS.replace('personal', 'replace(personal, \'"box":"\', \'"box":"AAAA\') AS personal');
    const moved = POSTS.replace('event_id', 'uuid()::VARCHAR AS event_id');
    const foreign = POSTS.replace('personal', '\'{"keyId":"\' || uuid() || \'","box":"AAAA"}\' AS personal');
    const pseudonym = String(
      (await query('SELECT by_actor_id FROM events WHERE by_actor_id IS NOT NULL LIMIT 1'))[0]?.[
        'by_actor_id'
      ],
    );
    for (const [token, args, code, reason] of [
      [moderator.token, ['query', encrypted, POSTS, ...decrypt], 1, 'it needs the role auditor'],
      [moderator.token, ['resolve', dir, pseudonym, '--reason', 'x'], 1, 'it needs the role auditor'],
      [auditor.token, ['query', encrypted, POSTS, '--decrypt'], 2, '--decrypt needs --reason'],
      [auditor.token, ['query', encrypted, POSTS, '--decrypt', '--reason', ''], 2, 'say why'],
      [auditor.token, ['resolve', dir, pseudonym], 2, '--reason'],
      [
        auditor.token,
        ['query', encrypted, 'SELECT personal FROM events', ...decrypt],
        1,
        'needs the columns',
      ],
      [auditor.token, ['query', encrypted, POSTS, ...decrypt, '--parquet', 'x'], 2, 'cannot be used with'],
      [auditor.token, ['query', dir, POSTS, ...decrypt], 1, 'has no ciphertexts'],
      [auditor.token, ['query', encrypted, forged, ...decrypt], 2, 'not of this network, or was changed'],
      [auditor.token, ['query', encrypted, moved, ...decrypt], 2, 'not of this network, or was changed'],
      [auditor.token, ['query', encrypted, foreign, ...decrypt], 2, 'not of this network, or was changed'],
      [auditor.token, ['resolve', dir, 'nobody', '--reason', 'x'], 1, 'neither as a pseudonym nor as an id'],
    ] as const) {
      const answer = await withToken(token, ...args);
      expect([args, answer]).toEqual([args, { code, stdout: '', stderr: expect.stringContaining(reason) }]);
    }
    expect(await disclosures()).toHaveLength(before);
  });

  it('the id of a pseudonym and the pseudonym of an id, each recorded', async () => {
    const post = audited.find(({ type }) => type === 'post.created');
    const { postId = '', authorActorId = '' } = post?.subject ?? {};
    const grantId = post?.grantId ?? '';
    for (const [kind, id] of [
      ['post', postId],
      ['actor', authorActorId],
      ['grant', grantId],
    ] as const) {
      const args = ['--reason', 'a complaint', '--json'];
      const { stdout } = await withToken(auditor.token, 'resolve', dir, id, ...args);
      const resolved = JSON.parse(stdout) as { readonly pseudonym: string };
      expect(resolved).toEqual({ kind, id, pseudonym: expect.stringMatching(/^[\w-]{22}$/) });
      expect(resolved.pseudonym).not.toBe(id);
      const back = await withToken(auditor.token, 'resolve', dir, resolved.pseudonym, ...args);
      expect(JSON.parse(back.stdout)).toEqual(resolved);
      const [newest] = await disclosures();
      expect(newest).toMatchObject({ reason: 'a complaint', subject: { [`${kind}Id`]: id } });
    }
  });

  it('many at once, and operators with a role and an option of their own', async () => {
    const withOperators = join(root, 'with-operators');
    await plaza('export', withOperators, '--operators');
    const administrator = await enrollOperator(operatorOf(network), ['administrator']);
    const posts = audited
      .filter(({ type }) => type === 'post.created')
      .map(({ subject }) => subject['postId']!);
    const why = ['--reason', 'a complaint', '--json'];
    const many = await withToken(auditor.token, 'resolve', withOperators, ...posts, ...why);
    const lines = many.stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(posts);
    const known = (JSON.parse(lines[0]!) as { pseudonym: string }).pseudonym;
    const both = await withToken(auditor.token, 'resolve', withOperators, posts[0]!, known, ...why);
    expect(both.stdout).toBe(`${lines[0]}\n${lines[0]}\n`);
    const unknown = await withToken(auditor.token, 'resolve', withOperators, posts[0]!, 'nobody', ...why);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });

    const acted = `SELECT DISTINCT by_operator_id FROM events WHERE type = 'analytics.exported'`;
    const [pseudonym] = (await query(acted, withOperators)).map((row) => String(row['by_operator_id']));
    const resolve = (token: string, target: string, ...more: readonly string[]) =>
      withToken(token, 'resolve', target, pseudonym!, ...more, '--reason', 'a doubt');
    const found = await resolve(administrator.token, withOperators, '--operators');
    expect(found).toEqual({
      code: 0,
      stderr: '',
      stdout: `${pseudonym} is the operator shared-token, shared token\n`,
    });
    expect((await disclosures())[0]).toMatchObject({
      operatorId: administrator.operatorId,
      reason: 'a doubt',
    });
    for (const [token, target, more, message] of [
      [auditor.token, withOperators, ['--operators'], 'it needs the role administrator'],
      [administrator.token, withOperators, [], 'neither as a pseudonym nor as an id'],
      [administrator.token, dir, ['--operators'], 'does not say which operator acted'],
    ] as const)
      expect(await resolve(token, target, ...more)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
    await expect(plaza('export', dir, '--operators')).rejects.toThrow('without --operators');
  });

  it('nothing while the log cannot record it', async () => {
    const { eventStore } = network.pids();
    process.kill(eventStore ?? 0, 'SIGSTOP');
    try {
      const answer = await withToken(auditor.token, 'query', encrypted, POSTS, '--decrypt', '--reason', 'x');
      expect(answer).toMatchObject({ code: 1, stdout: '' });
    } finally {
      process.kill(eventStore ?? 0, 'SIGCONT');
    }
    expect(await textsIn(encrypted)).not.toHaveLength(0);
  });
});

describe('an export', () => {
  const exports = () => audit('type:analytics.exported');
  const ofNetwork = () => readRunFile(network.dataDir)?.settings['EVENTSTORE_URL'];
  /** On a machine with the event store alone, but for what `changes` add. */
  const onOtherMachine = (args: readonly string[], changes: NodeJS.ProcessEnv) =>
    runPlaza(['analytics', ...args], {
      EVENTSTORE_URL: ofNetwork(),
      DATA_DIR: join(root, 'no-network'),
      ...changes,
    });
  const api = () => ({ OPERATOR_PORT: network.env['OPERATOR_PORT'] });

  it('is recorded with the auditor and the reason', async () => {
    const auditor = await enrollOperator(operatorOf(network), ['auditor']);
    const args = ['export', join(root, 'recorded'), '--reason', 'a study'];
    const answer = await onOtherMachine(args, { ...api(), OPERATOR_TOKEN: auditor.token });
    expect(answer.code).toBe(0);
    const [newest] = await exports();
    expect(newest).toMatchObject({ operatorId: auditor.operatorId, reason: 'a study' });
    const [last] = (await committedRows(join(root, 'recorded'))).slice(-1);
    expect(Number(last?.['position'])).toBeGreaterThanOrEqual(newest?.position ?? Infinity);
  });

  it('is refused without the role, without a token and without an API, and reads no event', async () => {
    const moderator = await enrollOperator(operatorOf(network), ['moderator']);
    const before = await exports();
    const dir = join(root, 'refused');
    for (const [changes, reason] of [
      [{ ...api(), OPERATOR_TOKEN: moderator.token }, 'it needs the role auditor'],
      [api(), 'there is no operator token'],
      [{ OPERATOR_PORT: '1', OPERATOR_TOKEN: moderator.token }, 'ANALYTICS_EXPORT_ALONE=on'],
      [
        { ...api(), OPERATOR_TOKEN: moderator.token, ANALYTICS_EXPORT_ALONE: 'on' },
        'it needs the role auditor',
      ],
    ] as const) {
      const answer = await onOtherMachine(['export', dir], changes);
      expect(answer).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
    }
    expect(existsSync(dir)).toBe(false);
    expect(await exports()).toEqual(before);
  });

  it('goes on unrecorded where that is set, and says so there', async () => {
    const before = await exports();
    const dir = join(root, 'alone');
    const alone = { ANALYTICS_EXPORT_ALONE: 'on' };
    const answer = await onOtherMachine(['export', dir], alone);
    expect(answer).toMatchObject({ code: 0, stderr: expect.stringContaining('exporting unrecorded') });
    expect(await exports()).toEqual(before);
    const said = async (changes: NodeJS.ProcessEnv) =>
      (await onOtherMachine(['status', dir], changes)).stdout;
    expect(await said(alone)).toContain('ANALYTICS_EXPORT_ALONE=on');
    expect(await said({})).not.toContain('ANALYTICS_EXPORT_ALONE');
  });

  it('that follows asks once on each UTC day, and waits for an API that is away then', async () => {
    const dir = join(root, 'followed');
    const [session] = (await lively.person(await registerApplication(network, 'Followed'))) as [SignedIn];
    const stop = new AbortController();
    const { signal } = stop;
    const notices: string[] = [];
    const onNotice = (line: string) => notices.push(line);
    let [today, read, asked, client] = [Date.now(), 0, 0, operatorOf(network)];
    const permission = new ExportPermission({
      ask: async () => (await client.post('analytics/exports', { reason: 'followed' }), (asked += 1)),
      isAlone: false,
      now: () => today,
      retryMs: 50,
      signal,
      onNotice,
    });
    const following = exportDataSet(readConfig({ DATA_DIR: network.dataDir }), dir, {
      follow: true,
      rewind: false,
      rebuild: false,
      permission,
      signal,
      now: Date.now,
      onNotice,
      onProgress: ({ done }) => (read = done),
    });
    const postAndRead = async () => {
      const before = read;
      await session.say('one more');
      await until(() => read > before);
    };
    await until(() => read > 0);
    await postAndRead();
    expect(asked).toBe(1);
    today += 86_400_000;
    client = operatorClient(readConfig({ ...network.env, OPERATOR_PORT: '1' }));
    const before = read;
    await session.say('on the next day');
    await until(() => notices.some((line) => line.endsWith('waiting for it')));
    expect([read, asked]).toEqual([before, 1]);
    client = operatorOf(network);
    await until(() => read > before);
    expect(asked).toBe(2);
    stop.abort();
    await following;
    expect((await exports()).filter(({ reason }) => reason === 'followed')).toHaveLength(2);
  });
});
