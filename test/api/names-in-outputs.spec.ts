/** Names of people and words of posts are in pages and in tables on a terminal, for an erasure reaches nothing that leaves the network. */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withTerminal } from '../../src/base/terminal/terminal.js';
import { AwaitsApproval } from '../../src/operator/client/awaits-approval.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { run } from '../../src/programs/plaza/run.js';
import { operatorOf, registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { environment, plaza } from '../support/command.js';
import { moderatorWith, reportedPost } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { enrollOperator } from '../support/operators.js';
import { personWithToken } from '../support/people.js';
import { post } from '../support/social.js';
import { until } from '../support/until.js';

const scope = 'openid read post:create profile:write report:create';

let network: TestNetwork;
let grace: Moderator;
let ada: SignedIn;
/** Each occurs nowhere else. */
let secrets: Readonly<Record<'displayName' | 'handle' | 'text' | 'report', string>>;
/** Ids of things about Ada, by the noun of an address. */
let ids: Readonly<Record<string, string>>;

const newWord = () => `w${randomBytes(6).toString('hex')}`;
const why = { reason: 'a test' };

beforeAll(async () => {
  network = await startNetwork();
  const roles = ['administrator', 'moderator', 'auditor'] as const;
  const [first] = [
    await enrollOperator(operatorOf(network), roles),
    await enrollOperator(operatorOf(network), roles),
  ];
  grace = moderatorWith(network, first);
  const application = await registerApplication(network);
  ada = await personWithToken(network, application, scope);
  const { profile } = (await ada.get('/api/profile')).body;
  secrets = { handle: profile.handle, displayName: newWord(), text: newWord(), report: newWord() };
  await ada.patch('/api/profile', {
    intentId: randomUUID(),
    revision: profile.revision,
    displayName: secrets.displayName,
  });
  const posts = await post(ada, secrets.text);
  const bob = await personWithToken(network, application, scope);
  const cases = await reportedPost(grace, bob, posts, secrets.report);
  ids = {
    accounts: ada.actorId,
    applications: application.clientId,
    grants: (await ada.get('/api/session')).body.grantId,
    posts,
    cases,
    log: `post-${posts}`,
    batches: await undoneBatch(ada.actorId),
    'as-of': await viewAsOfNow(ada.actorId),
    approvals: await awaitedErasure(ada.actorId),
  };
});

afterAll(() => network?.stop());

async function undoneBatch(actorId: string): Promise<string> {
  const plan = { kind: 'accounts', actorIds: [actorId] } as const;
  const { digest } = await grace.client.post('batches/preview', plan);
  const { batchId } = await grace.client.post('batches', { ...plan, digest, ...why });
  const isDone = async (state: string) =>
    (await grace.client.get('batches/:id', { id: batchId })).state === state;
  await until(() => isDone('applied'));
  await grace.client.post('batches/:id/undo', { id: batchId, ...why });
  await until(() => isDone('undone'));
  return batchId;
}

async function viewAsOfNow(actor: string): Promise<string> {
  const { position } = (await grace.client.post('as-of', { at: '0s', actor })).build;
  await until(async () => (await grace.client.get('as-of/:position', { position, actor })).view, 60_000);
  return String(position);
}

async function awaitedErasure(id: string): Promise<string> {
  await grace.client.post('four-eyes/on', why);
  const error = await grace.client.post('accounts/:id/erase', { id, ...why }).catch((e: unknown) => e);
  if (error instanceof AwaitsApproval) return error.request.approvalId;
  throw error;
}

/** The kinds of secrets in an output. */
const secretsIn = (output: string) =>
  Object.entries(secrets).flatMap(([kind, word]) => (output.includes(word) ? [kind] : []));

describe('the answer of a GET of the table of acts', () => {
  /** Fields of the contract. Another act that gives a name is a fault. */
  const given = {
    'post.read': ['text'],
    'audit.read': ['text'],
    'audit.follow': ['text'],
    'as_of.read': ['displayName', 'handle', 'text'],
  };
  /** A job is about nobody. A backup has everything, and an export all of one person. */
  const others = new Set(['job.read', 'backup.read_log', 'backup.read_part', 'account.read_export']);

  it('has ids, and a name or text only where the contract gives it', async () => {
    const search = (q: string) => `?${new URLSearchParams({ q }).toString()}`;
    const queries: Readonly<Record<string, string>> = {
      'audit.read': `${search(about())}&wait=true`,
      'audit.follow': search(`${about()} since:1h`),
      'audit.export': search(about()),
      'subject.find': `?q=${ada.actorId}`,
      'as_of.read': `?actor=${ada.actorId}`,
    };
    const rows = actTable.filter(
      ({ name, method, path }) => method === 'GET' && !/^\/console(\/|$)/.test(path) && !others.has(name),
    );
    const found: Record<string, readonly string[]> = {};
    for (const { name, path } of rows) {
      const [, noun = ''] = path.split('/').slice(1);
      const address = path.replace(/:\w+/, () => ids[noun] ?? 'nobody') + (queries[name] ?? '');
      const answer = await fetch(`http://127.0.0.1:${network.env['OPERATOR_PORT']}${address}`, {
        headers: { authorization: `Bearer ${grace.token}` },
      });
      expect([name, answer.status]).toEqual([name, 200]);
      const kinds = secretsIn(await answer.text());
      if (kinds.length > 0) found[name] = kinds.toSorted();
    }
    expect(found).toEqual(given);
  });
});

/** Output of a command on a terminal, or in a file. */
async function outputOf(isTTY: boolean, ...args: readonly string[]): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const terminal = {
    env: environment(grace.env),
    stdin: Readable.from([]),
    stdout,
    stderr: new PassThrough().resume(),
  };
  const output = text(stdout);
  const code = await withTerminal(terminal, () => run(args));
  stdout.end();
  expect([args, code]).toEqual([args, 0]);
  return output;
}

const about = () => `actor:${ada.actorId}`;

describe('outputs for machines, also on a terminal', () => {
  it.each(['--json', '--csv'])(
    'plaza audit %s has ids, and the texts that it is asked for',
    async (format) => {
      for (const isTTY of [true, false]) {
        expect(secretsIn(await outputOf(isTTY, 'audit', about(), '--wait', format))).toEqual(['text']);
        expect(secretsIn(await outputOf(isTTY, 'audit', about(), format, '--no-texts'))).toEqual([]);
      }
    },
  );

  it('plaza audit --follow', async () => {
    const child = spawn(process.execPath, [plaza, 'audit', '--follow', '--no-texts', about(), 'since:1h'], {
      env: environment(grace.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    try {
      await until(() => printed.includes('profile.changed') && printed.includes('post.created'));
    } finally {
      child.kill('SIGTERM');
      await closed;
    }
    expect(secretsIn(printed)).toEqual([]);
  });

  it('plaza export audit', async () => {
    const root = mkdtempSync(join(tmpdir(), 'plaza-names-'));
    try {
      await outputOf(true, 'export', 'audit', join(root, 'export'), about(), '--reason', 'a test');
      const files = readdirSync(join(root, 'export'));
      expect(files).toContain('audit.jsonl');
      const bytes = files.map((file) => readFileSync(join(root, 'export', file), 'utf8')).join('');
      expect(bytes).toContain(ada.actorId);
      expect(secretsIn(bytes)).toEqual([]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it.each([
    ['case', 'list'],
    ['case', 'show', 'cases'],
    ['batch', 'status', 'batches'],
    ['approval', 'show', 'approvals'],
    ['app', 'impact', 'applications'],
  ])('plaza %s %s --json', async (...words) => {
    const output = await outputOf(true, ...commandOf(words), '--json');
    expect(secretsIn(output)).toEqual([]);
  });
});

const commandOf = ([group = '', verb = '', noun]: readonly string[]) => [
  group,
  verb,
  ...(noun === undefined ? [] : [ids[noun] ?? '']),
];

describe('lines for people', () => {
  const person = () => `${secrets.displayName} @${secrets.handle} (${ada.actorId})`;

  it.each([
    ['case', 'list'],
    ['case', 'show', 'cases'],
    ['approval', 'show', 'approvals'],
    ['app', 'impact', 'applications'],
  ])('plaza %s %s: names with ids on a terminal, ids alone elsewhere', async (...words) => {
    expect(await outputOf(true, ...commandOf(words))).toContain(person());
    const elsewhere = await outputOf(false, ...commandOf(words));
    expect(elsewhere).toContain(ada.actorId);
    expect(secretsIn(elsewhere)).toEqual([]);
  });

  it('plaza audit, plaza as-of, plaza disclose and a preview', async () => {
    const table = await outputOf(true, 'audit', about(), '--wait');
    expect(table).toContain(person());
    expect(table).toContain(`“${secrets.text}”`);
    expect(await outputOf(true, 'audit', about(), '--no-texts')).not.toContain(secrets.text);
    const asOf = await outputOf(true, 'as-of', ids['as-of'] ?? '', '--actor', ada.actorId);
    expect(asOf).toContain(`actor ${person()}: active`);
    const [event = ''] = (await outputOf(false, 'audit', about(), 'type:account.registered', '--json')).split(
      '\n',
    );
    const { eventId } = JSON.parse(event) as { readonly eventId: string };
    expect(await outputOf(true, 'disclose', eventId, '--reason', 'a test')).toContain(`of ${person()}`);
    const restricting = ['app', 'restrict-posts', ids['applications'] ?? '', '--from', '1h', '--until', '0'];
    expect(await outputOf(true, ...restricting, '--dry-run')).toContain(
      `“${secrets.text}” (${ids['posts']})`,
    );
  });
});
