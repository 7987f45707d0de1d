/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApprovalEvent } from '../../src/domain/approval/events.js';
import { Allowances } from '../../src/commands/approval/allowances.js';
import { Clock, systemClock } from '../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../src/base/support/id-generator.js';
import { EventLog } from '../../src/log/event-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import type { AwaitedRequest } from '../../src/operator/desk/approvals/awaited-approval.js';
import { AwaitsApproval } from '../../src/operator/client/awaits-approval.js';
import type { OperatorClient } from '../support/operator-client.js';
import { operatorOf } from '../support/api.js';
import { awaited } from '../support/awaited.js';
import { runPlaza } from '../support/command.js';
import { madeOf } from '../support/commands.js';
import { backUp, destroyLog, newBackupDir, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { openLogOf } from '../support/network-log.js';
import { moderatorWith, newModerator } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { someName } from '../support/operators.js';
import { until } from '../support/until.js';
import { enrollPair, entrancesOf, sendJson } from './support/second-pair.js';
import type { EntranceName, Pair } from './support/second-pair.js';

let network: TestNetwork;
let opened: OpenLog;
let log: EventLog;
let dir: string;
/** Requests, approves, and moderates alone. */
let [ada, bob, mia]: Pair[] = [];
/** Each of them suspends two accounts at most: more of one operator in a day would wait. */
let moderators: readonly Moderator[] = [];
let suspensions = 0;
/** Nobody has used it when four-eyes is turned on. */
let unused: { readonly invitationCode: string };

const entrances: readonly EntranceName[] = ['API', 'command line', 'form'];

beforeAll(async () => {
  network = await startNetwork({ FOUR_EYES_MIN_AGE: '1s' });
  opened = await openLogOf(network);
  ({ log } = opened);
  dir = newBackupDir(network);
  ada = await enrollPair(network, ['administrator', 'moderator'], 'Ada');
});

afterAll(async () => {
  await opened?.close();
  await network?.stop();
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
});

const pair = (found: Pair | undefined): Pair => {
  if (!found) throw new Error('nobody is enrolled');
  return found;
};

async function newAccount(): Promise<string> {
  const handle = `p_${randomUUID().slice(0, 8)}`;
  const account = { handle, displayName: handle, email: `${handle}@example.org`, password: 'correct horse' };
  return (await pair(ada).client.post('accounts', account)).actorId;
}

function moderatorFor(suspension: number): Moderator {
  const found = moderators[Math.floor(suspension / 2)];
  if (!found) throw new Error('there are too few moderators');
  return found;
}

const suspend = (actorId: string) =>
  moderatorFor(suspensions++).client.post('accounts/:id/suspend', { id: actorId, reason: 'spam' });

const erase = (by: Pair, actorId: string) =>
  by.client.post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'asked for it' });

const requestErasure = async (): Promise<AwaitedRequest & { readonly actorId: string }> => {
  const actorId = await newAccount();
  return { ...(await awaited(erase(pair(ada), actorId))), actorId };
};

const requestApproved = async () => {
  const request = await requestErasure();
  await pair(bob).client.post('approvals/:id/approve', { id: request.approvalId, digest: request.digest });
  return request;
};

const eventsOf = async (stream: string) =>
  (await log.read(stream)).map(({ event, metadata }) => ({ type: event.type, metadata }));

const erasuresOf = async (actorId: string) =>
  (await eventsOf(streams.account(actorId))).filter(({ type }) => type === 'account.erased');

/** As a process records a step that is then killed, or as it recorded one a day ago. */
async function record(approvalId: string, ...events: ApprovalEvent[]): Promise<void> {
  const stream = streams.approval(approvalId);
  await log.append({
    stream,
    expected: (await log.read(stream)).at(-1)?.revision ?? 'no_stream',
    events: events.map((event) => ({ id: randomUUID(), event })),
    metadata: { requestId: 'test' },
  });
}

describe('four-eyes', () => {
  it('is off until it is set, which needs two active administrators', async () => {
    expect(await pair(ada).client.get('four-eyes')).toMatchObject({
      batchItems: null,
      active: { administrators: 1 },
    });
    expect(await erase(pair(ada), await newAccount())).toMatchObject({ changed: true });
    await expect(pair(ada).client.post('four-eyes/on', { batchItems: 2 })).rejects.toThrow(
      '(intent_conflict)',
    );
    bob = await enrollPair(network, ['administrator', 'moderator'], 'Bob');
    mia = await enrollPair(network, ['moderator'], 'Mia');
    moderators = await Promise.all(
      Array.from({ length: 7 }, (_, n) => newModerator(network, 'moderator', `Moderator ${n}`)),
    );
    unused = await pair(ada).client.post('operators', {
      name: 'Unused',
      roles: ['administrator', 'moderator'],
    });
    expect((await backUp(network, dir)).code).toBe(0);
    expect(await ada?.client.post('four-eyes/on', { batchItems: 2 })).toEqual({ changed: true });
    expect(await ada?.client.get('four-eyes')).toEqual({
      batchItems: 2,
      active: { administrators: 2, moderators: 10 },
    });
  });

  it('answers a request with its preview and digest, twice with the same, and does nothing yet', async () => {
    const { actorId, ...request } = await requestErasure();
    expect(request).toMatchObject({
      act: 'account.erase',
      facts: { account: actorId, state: 'active', 'erased for good': 'at once' },
    });
    const { token } = pair(ada);
    const again = await sendJson(network, token, `/accounts/${actorId}/erase`, { reason: 'asked for it' });
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ approvalId: request.approvalId, digest: request.digest });
    expect(await erasuresOf(actorId)).toEqual([]);
    const listed = (await pair(bob).client.get('approvals')).find(
      ({ approvalId }) => approvalId === request.approvalId,
    );
    expect(listed).toMatchObject({ state: 'waiting', requestedByName: 'Ada', reason: 'asked for it' });
  });

  it('shows the command line its own exit code', async () => {
    const actorId = await newAccount();
    const env = { ...network.env, OPERATOR_TOKEN: pair(ada).token };
    const { code, stdout } = await runPlaza(['account', 'erase', actorId, '--reason', 'x'], env);
    expect(code).toBe(3);
    expect(stdout).toContain('waits for the approval of another operator; nothing has happened yet');
  });
});

describe.each(entrances)('by %s, an approval', (name) => {
  const by = () => entrancesOf(network)[name];

  it('is given by another operator, and executed once by the requester', async () => {
    const { approvalId, digest, actorId } = await requestErasure();
    expect(await by().run(pair(ada), approvalId)).toBe('intent_conflict');
    expect(await by().approve(pair(bob), approvalId, digest)).toBe('done');
    expect(await erasuresOf(actorId)).toEqual([]);
    expect(await by().run(pair(bob), approvalId)).toBe('not_owner');
    expect(await by().run(pair(ada), approvalId)).toBe('done');
    expect(await by().run(pair(ada), approvalId)).toBe('intent_conflict');
    expect(await erasuresOf(actorId)).toMatchObject([
      {
        metadata: {
          operatorId: pair(ada).operatorId,
          reason: 'asked for it',
          cause: streams.approval(approvalId),
        },
      },
    ]);
  });

  it('is refused to the requester, and to operators who may not do the act', async () => {
    const { approvalId, digest } = await requestErasure();
    expect(await by().approve(pair(ada), approvalId, digest)).toBe('not_owner');
    expect(await by().approve(pair(mia), approvalId, digest)).toBe('capability_required');
  });

  it('of another digest is refused', async () => {
    const { approvalId } = await requestErasure();
    expect(await by().approve(pair(bob), approvalId, '0'.repeat(64))).toBe('effect_mismatch');
  });

  it('is void if the preview changed before it was given, or before it was used', async () => {
    const waiting = await requestErasure();
    await suspend(waiting.actorId);
    expect(await by().approve(pair(bob), waiting.approvalId, waiting.digest)).toBe('effect_mismatch');
    const given = await requestApproved();
    await suspend(given.actorId);
    expect(await by().run(pair(ada), given.approvalId)).toBe('effect_mismatch');
    await pair(mia).client.post('accounts/:id/reinstate', { id: given.actorId, reason: 'no spam' });
    expect(await by().run(pair(ada), given.approvalId)).toBe('effect_mismatch');
    expect((await pair(ada).client.get('approvals/:id', { id: given.approvalId })).state).toBe('voided');
    expect(await erasuresOf(given.actorId)).toEqual([]);
  });

  it('expires', async () => {
    const digest = '0'.repeat(64);
    const change = { approvalId: `expired-${randomUUID()}`, operatorId: pair(ada).operatorId, at: 1_000 };
    const content = JSON.stringify({ params: { id: await newAccount() }, input: {}, facts: {}, salt: '' });
    const data = { ...change, act: 'account.erase', content, digest, expiresAt: 2_000 };
    await record(change.approvalId, { type: 'approval.requested', data });
    expect(await by().approve(pair(bob), change.approvalId, digest)).toBe('intent_conflict');
    await record(change.approvalId, {
      type: 'approval.given',
      data: { ...change, operatorId: pair(bob).operatorId, digest },
    });
    expect(await by().run(pair(ada), change.approvalId)).toBe('intent_conflict');
  });
});

describe('the shared token', () => {
  it.each(['API', 'command line'] as const)('neither approves nor executes by %s', async (name) => {
    const { approvalId, digest } = await requestErasure();
    const shared = { ...pair(ada), token: network.operatorToken };
    const by = entrancesOf(network)[name];
    expect(await by.approve(shared, approvalId, digest)).toBe('capability_required');
    expect(await by.run(shared, approvalId)).toBe('capability_required');
  });

  it('has no session for a form', async () => {
    const { approvalId, digest } = await requestErasure();
    const { origin, href } = new URL(`${consoleUrl()}/${approvalId}/approve`);
    const response = await fetch(href, {
      method: 'POST',
      headers: { origin, authorization: `Bearer ${network.operatorToken}` },
      body: new URLSearchParams({ digest }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { error: 'authentication_required' },
    ]);
  });

  it('requests nothing', async () => {
    const shared = operatorOf(network);
    const actorId = await newAccount();
    await expect(shared.post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'x' })).rejects.toThrow(
      '(capability_required)',
    );
    await expect(shared.post('recovery/apply', { reseedWitness: true })).rejects.toThrow(
      '(capability_required)',
    );
    await expect(shared.post('four-eyes/off')).rejects.toThrow('(capability_required)');
    const invitation = { name: 'Eve', roles: ['administrator'] } as const;
    await expect(shared.post('operators', invitation)).rejects.toThrow('(capability_required)');
    expect(await erasuresOf(actorId)).toEqual([]);
  });
});

it('a request has another digest than the same one before, so none tells what was asked', async () => {
  const { client } = pair(ada);
  const actorId = await newAccount();
  const first = await awaited(erase(pair(ada), actorId));
  await client.post('approvals/:id/refuse', { id: first.approvalId, reason: 'not now' });
  const second = await awaited(erase(pair(ada), actorId));
  expect(second.facts).toEqual(first.facts);
  expect(second.digest).not.toBe(first.digest);
});

it('a request is refused for good by another operator, and withdrawn by its requester', async () => {
  for (const by of [pair(bob), pair(ada)]) {
    const { approvalId, digest } = await requestErasure();
    await by.client.post('approvals/:id/refuse', { id: approvalId, reason: 'not now' });
    await expect(pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest })).rejects.toThrow(
      '(intent_conflict)',
    );
    await expect(pair(ada).client.post('approvals/:id/run', { id: approvalId })).rejects.toThrow(
      '(intent_conflict)',
    );
  }
});

/** Approves and executes. */
async function finish({ approvalId, digest }: AwaitedRequest): Promise<unknown> {
  await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest });
  return (await pair(ada).client.post('approvals/:id/run', { id: approvalId })).result;
}

describe('what waits for an approval', () => {
  const rolesOf = async (operatorId: string) =>
    (await pair(ada).client.get('operators')).find((each) => each.operatorId === operatorId)?.roles;

  it('is each erasure by an operator, also a planned one, which then stands on the overview', async () => {
    const day = 24 * 60 * 60_000;
    const [now, later] = [await newAccount(), await newAccount()];
    await awaited(
      pair(ada).client.post('accounts/:id/erase', { id: now, delayMs: 60_000, reason: 'asked for it' }),
    );
    const env = { ...network.env, OPERATOR_TOKEN: pair(ada).token };
    const planned = ['account', 'erase', later, '--delay', '24h', '--reason', 'asked for it'];
    expect(await runPlaza(planned, env)).toMatchObject({ code: 3 });
    const waiting = await awaited(
      pair(ada).client.post('accounts/:id/erase', { id: later, delayMs: day, reason: 'asked for it' }),
    );
    expect((await eventsOf(streams.account(later))).map(({ type }) => type)).not.toContain(
      'account.erasure_requested',
    );
    expect(await finish(waiting)).toMatchObject({ changed: true });
    const page = await pair(bob).browser.open(new URL('/console/overview', consoleUrl()).href);
    expect(page.text).toMatch(
      new RegExp(
        `Planned erasures.*1 account.*${later}.*planned by <bdi>operator Ada, says: test</bdi>`,
        's',
      ),
    );
    await pair(bob).client.post('accounts/:id/cancel-erasure', { id: later, reason: 'a mistake' });
  });

  it('is a batch above the set number of restrictions', async () => {
    const actorIds = [await newAccount(), await newAccount(), await newAccount()];
    const request = async (ids: readonly string[]) => {
      const plan = { kind: 'accounts', actorIds: ids } as const;
      const { digest } = await pair(ada).client.post('batches/preview', plan);
      return pair(ada).client.post('batches', { ...plan, digest, reason: 'spam' });
    };
    const waiting = await awaited(request(actorIds));
    expect(waiting.facts).toMatchObject({ restricts: 'accounts', items: 3 });
    expect(await finish(waiting)).toMatchObject({ batchId: waiting.approvalId, items: 3 });
    await until(
      async () => (await pair(ada).client.get('batches/:id', { id: waiting.approvalId })).state === 'applied',
    );
    expect(await request([await newAccount(), await newAccount()])).toMatchObject({ items: 2 });
  });

  it('is each invitation, by an administrator or the shared token', async () => {
    for (const roles of [['moderator'], ['administrator']] as const) {
      const waiting = await awaited(pair(ada).client.post('operators', { name: someName('Cleo'), roles }));
      expect(await rolesOf(waiting.approvalId)).toBeUndefined();
      const invited = await finish(waiting);
      expect(invited).toMatchObject({ operatorId: waiting.approvalId, invitationCode: expect.any(String) });
      expect(await rolesOf(waiting.approvalId)).toEqual(roles);
      await expect(operatorOf(network).post('operators', { name: 'Eve', roles })).rejects.toThrow(
        '(capability_required)',
      );
    }
  });

  it('is each role that allows more, also for oneself, and no lower one', async () => {
    const { client, operatorId } = pair(ada);
    const roles = ['administrator', 'moderator', 'auditor'] as const;
    const waiting = await awaited(client.post('operators/:id/roles', { id: operatorId, roles, reason: 'x' }));
    await expect(
      client.post('approvals/:id/approve', { id: waiting.approvalId, digest: waiting.digest }),
    ).rejects.toThrow('(not_owner)');
    expect(await rolesOf(operatorId)).toEqual(['moderator', 'administrator']);
    const other = moderatorFor(suspensions).operatorId;
    await finish(
      await awaited(
        client.post('operators/:id/roles', { id: other, roles: ['moderator', 'auditor'], reason: 'x' }),
      ),
    );
    expect(
      await client.post('operators/:id/roles', { id: other, roles: ['moderator'], reason: 'x' }),
    ).toMatchObject({ changed: true });
  });

  it('is the return of each suspended operator', async () => {
    const { client } = pair(ada);
    const { operatorId } = moderatorFor(suspensions + 2);
    expect(await client.post('operators/:id/reinstate', { id: operatorId, reason: 'x' })).toMatchObject({
      changed: false,
    });
    await client.post('operators/:id/suspend', { id: operatorId, reason: 'x' });
    await finish(await awaited(client.post('operators/:id/reinstate', { id: operatorId, reason: 'x' })));
  });

  it('is an invitation from before that was used after, until two confirm who used it', async () => {
    const { invitationCode } = unused;
    const { operatorId, token } = await operatorOf(network).post('enrollments', { invitationCode });
    const { client } = moderatorWith(network, { operatorId, token });
    const { approvalId, digest } = await awaited(
      pair(ada).client.post('operators', { name: 'Dan', roles: ['viewer'] }),
    );
    await expect(client.post('approvals/:id/approve', { id: approvalId, digest })).rejects.toThrow(
      '(capability_required)',
    );
    await expect(client.post('operators', { name: 'Dan', roles: ['viewer'] })).rejects.toThrow(
      /joined without a second person.*\(capability_required\)/,
    );
    await expect(
      client.post('operators/:id/suspend', { id: pair(bob).operatorId, reason: 'x' }),
    ).rejects.toThrow('(not_owner)');
    await expect(client.post('accounts/:id/suspend', { id: 'nobody', reason: 'x' })).rejects.toThrow(
      '(capability_required)',
    );
    expect((await pair(ada).browser.open(consoleUrl())).text).toContain(
      'Unused joined without a second person',
    );
    const confirmation = await awaited(pair(ada).client.post('operators/:id/confirm', { id: operatorId }));
    await expect(
      client.post('approvals/:id/approve', { id: confirmation.approvalId, digest: confirmation.digest }),
    ).rejects.toThrow('(capability_required)');
    await finish(confirmation);
    expect(await client.post('approvals/:id/approve', { id: approvalId, digest })).toEqual({ changed: true });
    expect(await pair(ada).client.post('operators/:id/confirm', { id: operatorId })).toEqual({
      changed: false,
    });
    expect((await pair(ada).browser.open(consoleUrl())).text).not.toContain('joined without');
    await pair(ada).client.post('operators/:id/suspend', { id: operatorId, reason: 'x' });
  });

  it('is a form of the console, too', async () => {
    const { browser } = pair(ada);
    const url = new URL(consoleUrl()).origin;
    const page = await browser.open(`${url}/console/operators`);
    const form = page.forms.find(({ action }) => action === '/console/operators');
    if (!form) throw new Error(page.text);
    const answer = await browser.submit(page, form, { name: 'Dora', roles: 'administrator' });
    expect(answer.url.pathname).toMatch(/^\/console\/approvals\//);
    expect(answer.text).toContain('Nothing has happened yet');
    expect(answer.text).toMatch(/Approvals \(\d+\)/);
    const approvalId = answer.url.pathname.split('/').at(-1) ?? '';
    const toApprove = await bob?.browser.open(`${url}/console/approvals/${approvalId}`);
    const approve = toApprove?.forms.find(({ action }) => action.endsWith('/approve'));
    if (!toApprove || !approve) throw new Error('no form approves');
    await bob?.browser.submit(toApprove, approve, {});
    const toRun = await browser.open(`${url}/console/approvals/${approvalId}`);
    const run = toRun.forms.find(({ action }) => action.endsWith('/run'));
    if (!run) throw new Error(toRun.text);
    expect((await browser.submit(toRun, run, {})).text).toContain('/console/enrollments?code=');
  });

  it('is a recovery that reseeds the witness, and no other', async () => {
    expect(await pair(ada).client.post('recovery/apply', { reseedWitness: false })).toEqual({ job: null });
    const { job } = (await finish(
      await awaited(pair(ada).client.post('recovery/apply', { reseedWitness: true })),
    )) as { job: { id: string } };
    const ended = await until(async () => {
      const { state } = await pair(ada).client.get('jobs/:id', { id: job.id });
      return state === 'published' && state;
    }, 60_000);
    expect(ended).toBe('published');
  });

  it('is a larger number of restrictions for all, and no smaller one', async () => {
    expect(await pair(ada).client.post('four-eyes/on', { batchItems: 1 })).toEqual({ changed: true });
    await finish(await awaited(pair(ada).client.post('four-eyes/on', { batchItems: 3 })));
    expect(await pair(ada).client.get('four-eyes')).toMatchObject({ batchItems: 3 });
  });
});

describe('restrictions of one operator in 24 hours', () => {
  /** Two are left to each. */
  let [gil, hal, ivy]: Moderator[] = [];

  const by = (found: Moderator | undefined): Moderator => {
    if (!found) throw new Error('there are too few moderators');
    return found;
  };
  const suspendAll = (client: OperatorClient, actorIds: readonly string[]) =>
    Promise.all(
      actorIds.map((actorId) =>
        client.post('accounts/:id/suspend', { id: actorId, reason: 'spam' }).then(
          ({ changed }) => (changed ? 'done' : 'nothing'),
          (error: unknown) => (error instanceof AwaitsApproval ? 'waits' : String(error)),
        ),
      ),
    );
  const accounts = (count: number) => Promise.all(Array.from({ length: count }, newAccount));
  const batchOf = async ({ client }: Moderator, actorIds: readonly string[]) => {
    const plan = { kind: 'accounts', actorIds } as const;
    const { digest } = await client.post('batches/preview', plan);
    return client.post('batches', { ...plan, digest, reason: 'spam' });
  };

  beforeAll(async () => {
    [gil, hal, ivy] = moderators.slice(-3);
    await pair(ada).client.post('four-eyes/on', { batchItems: 2 });
  });

  it('are counted exactly, though all are requested at once', async () => {
    const outcomes = await suspendAll(by(gil).client, await accounts(8));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === 'waits')).toHaveLength(6);
  });

  it('are counted exactly by several processes', async () => {
    const parts = [
      [EventLog, log],
      [Clock, systemClock],
      [IdGenerator, systemIds],
    ] as const;
    const processes = [1, 2].map(() => madeOf(parts)(Allowances));
    const operatorId = randomUUID();
    const wanted = { count: 2, limit: 5 };
    const reserved = await Promise.all(
      [...processes, ...processes].map((each) =>
        each.reserve(operatorId, wanted, { requestId: 'test', operatorId }),
      ),
    );
    expect(reserved.filter((id) => id !== undefined)).toHaveLength(2);
    expect(await eventsOf(streams.operatorRestrictions(operatorId))).toHaveLength(2);
  });

  it('are counted together, by hand and in small batches', async () => {
    const [first = '', second = '', third = ''] = await accounts(3);
    expect(await batchOf(by(hal), [first])).toMatchObject({ items: 1 });
    expect(await by(hal).client.post('accounts/:id/suspend', { id: second, reason: 'spam' })).toMatchObject({
      changed: true,
    });
    const batch = await awaited(batchOf(by(hal), [third]));
    expect(batch.facts).toMatchObject({ restricts: 'accounts', items: 1 });
    const post = await awaited(by(hal).client.post('posts/:id/restrict', { id: 'nobody', reason: 'spam' }));
    expect(post.facts).toEqual({ restricts: 'nobody', state: 'absent' });
    await awaited(by(hal).client.post('accounts/:id/suspend', { id: third, reason: 'spam' }));
  });

  it('are not used by acts that restrict nothing', async () => {
    const [first = '', second = '', third = ''] = await accounts(3);
    const { client } = by(ivy);
    for (let n = 0; n < 3; n++)
      await expect(client.post('posts/:id/restrict', { id: 'nobody', reason: 'spam' })).rejects.toThrow(
        '(not_found)',
      );
    await client.post('accounts/:id/suspend', { id: first, reason: 'spam' });
    expect(await client.post('accounts/:id/suspend', { id: first, reason: 'spam' })).toMatchObject({
      changed: false,
    });
    await client.post('accounts/:id/suspend', { id: second, reason: 'spam' });
    await awaited(client.post('accounts/:id/suspend', { id: third, reason: 'spam' }));
  });

  it('above the number are done once another moderator approves them', async () => {
    const actorId = await newAccount();
    const { client } = by(gil);
    const { approvalId, digest } = await awaited(
      client.post('accounts/:id/suspend', { id: actorId, reason: 'spam' }),
    );
    await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest });
    expect((await client.post('approvals/:id/run', { id: approvalId })).result).toMatchObject({
      changed: true,
    });
  });
});

describe('an approved act', () => {
  it('is executed once, though the process is killed after the approval', async () => {
    const { approvalId, actorId } = await requestApproved();
    process.kill(network.pids().api ?? 0, 'SIGKILL');
    await until(async () => {
      const run = pair(ada).client.post('approvals/:id/run', { id: approvalId });
      return run.then(
        () => true,
        () => false,
      );
    }, 180_000);
    expect(await erasuresOf(actorId)).toHaveLength(1);
    await awaited(
      moderatorFor(moderators.length * 2 - 1).client.post('accounts/:id/suspend', {
        id: actorId,
        reason: 'spam',
      }),
    );
  });

  it('is resumed by the requester, once, if the process was killed before the act', async () => {
    const { approvalId, actorId } = await requestApproved();
    const change = { approvalId, operatorId: pair(ada).operatorId, at: Date.now() };
    await record(approvalId, { type: 'approval.used', data: change });
    expect(await pair(ada).client.post('approvals/:id/run', { id: approvalId })).toMatchObject({
      result: { changed: true },
    });
    await expect(pair(ada).client.post('approvals/:id/run', { id: approvalId })).rejects.toThrow(
      '(intent_conflict)',
    );
    expect(await erasuresOf(actorId)).toHaveLength(1);
  });

  it('is compared with its preview again when it is resumed, unless its event is there already', async () => {
    const [changed, done] = [await requestApproved(), await requestApproved()];
    for (const { approvalId } of [changed, done]) {
      const change = { approvalId, operatorId: pair(ada).operatorId, at: Date.now() };
      await record(approvalId, { type: 'approval.used', data: change });
    }
    const { client } = pair(ada);
    await suspend(changed.actorId);
    await expect(client.post('approvals/:id/run', { id: changed.approvalId })).rejects.toThrow(
      '(effect_mismatch)',
    );
    const stream = streams.account(done.actorId);
    await log.append({
      stream,
      expected: (await log.read(stream)).at(-1)?.revision ?? 'no_stream',
      events: [
        { id: randomUUID(), event: { type: 'account.signed_out', data: { actorId: done.actorId, at: 1 } } },
      ],
      metadata: { requestId: 'test', cause: streams.approval(done.approvalId) },
    });
    await expect(client.post('approvals/:id/run', { id: done.approvalId })).rejects.toThrow(
      'executed already',
    );
    expect((await client.get('approvals/:id', { id: done.approvalId })).state).toBe('carried_out');
    for (const { actorId } of [changed, done]) expect(await erasuresOf(actorId)).toEqual([]);
  });

  it('that was refused when it was executed is void, and not tried again without the revision', async () => {
    const { token, client } = pair(ada);
    const actorId = await newAccount();
    const body = { reason: 'asked for it', revision: 7 };
    const request = await sendJson(network, token, `/accounts/${actorId}/erase`, body);
    const { approvalId = '', digest = '' } = request.body;
    await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest });
    await expect(client.post('approvals/:id/run', { id: approvalId })).rejects.toThrow(
      '(lifecycle_revision_conflict)',
    );
    expect((await client.get('approvals/:id', { id: approvalId })).state).toBe('voided');
    await expect(client.post('approvals/:id/run', { id: approvalId })).rejects.toThrow('(effect_mismatch)');
    expect(await erasuresOf(actorId)).toEqual([]);
  });

  it('is resumed after the act, and invites nobody twice', async () => {
    const invite = pair(ada).client.post('operators', { name: 'Finn', roles: ['administrator'] });
    const { approvalId, digest } = await awaited(invite);
    await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest });
    const runs = await Promise.allSettled(
      [1, 2, 3].map(() => pair(ada).client.post('approvals/:id/run', { id: approvalId })),
    );
    expect(runs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const invited = (await eventsOf(streams.operator(approvalId))).filter(
      ({ type }) => type === 'operator.invited',
    );
    expect(invited).toHaveLength(1);
  });

  it('is refused if its requester was suspended meanwhile', async () => {
    const { client } = pair(mia);
    const plan = { kind: 'accounts', actorIds: await Promise.all([1, 2, 3, 4].map(newAccount)) } as const;
    const { digest: items } = await client.post('batches/preview', plan);
    const { approvalId, digest } = await awaited(
      client.post('batches', { ...plan, digest: items, reason: 'spam' }),
    );
    await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest });
    await pair(ada).client.post('operators/:id/suspend', { id: pair(mia).operatorId, reason: 'left' });
    await expect(client.post('approvals/:id/run', { id: approvalId })).rejects.toThrow('(invalid_token)');
    expect(await eventsOf(streams.batch(approvalId))).toEqual([]);
  });

  it('is refused if its approver was suspended meanwhile', async () => {
    const { approvalId, actorId } = await requestApproved();
    const { client } = pair(ada);
    await client.post('operators/:id/suspend', { id: pair(bob).operatorId, reason: 'left' });
    await expect(client.post('approvals/:id/run', { id: approvalId })).rejects.toThrow(
      '(capability_required)',
    );
    expect(await erasuresOf(actorId)).toEqual([]);
  });

  it('skips four-eyes for the limited shared token, if one administrator is left, and is shown until confirmed', async () => {
    await pair(ada).client.post('shared-token/limit', { reason: 'drill' });
    const { job } = await operatorOf(network).post('recovery/apply', {
      reseedWitness: true,
      reason: 'the witness was lost',
    });
    await until(
      async () => (await operatorOf(network).get('jobs/:id', { id: job?.id ?? '' })).state === 'published',
      60_000,
    );
    const second = await enrollPair(network, ['administrator', 'moderator'], 'Gus');
    const page = await pair(ada).browser.open(`${consoleUrl()}/nobody`);
    expect(page.status).toBe(404);
    expect(page.text).toContain('The limited shared token invited Gus');
    expect(page.text).toContain('Four-eyes is on, and one administrator can approve');
    const { approvalId, digest } = await requestErasure();
    await expect(second.client.post('approvals/:id/approve', { id: approvalId, digest })).rejects.toThrow(
      '(capability_required)',
    );
    await expect(second.client.post('four-eyes/off')).rejects.toThrow('(capability_required)');
    await pair(ada).client.post('operators/:id/confirm', { id: second.operatorId });
    expect((await pair(ada).browser.open(consoleUrl())).text).not.toContain('The limited shared token');
    await until(async () => (await pair(ada).client.get('four-eyes')).active.administrators === 2);
    expect(await second.client.post('approvals/:id/approve', { id: approvalId, digest })).toEqual({
      changed: true,
    });
    expect((await pair(ada).browser.open(consoleUrl())).text).not.toContain('can approve');
    await expect(enrollPair(network, ['administrator'], 'Hal')).rejects.toThrow('(capability_required)');
    await expect(operatorOf(network).post('recovery/apply', { reseedWitness: true })).rejects.toThrow(
      '(capability_required)',
    );
    bob = second;
  });
});

const consoleUrl = (): string => `http://localhost:${network.env['OPERATOR_PORT']}/console/approvals`;

describe('turning four-eyes off', () => {
  it('needs two', async () => {
    const { approvalId, digest } = await awaited(
      pair(ada).client.post('four-eyes/off', { reason: 'quiet days' }),
    );
    expect(await pair(ada).client.get('four-eyes')).toMatchObject({ batchItems: 2 });
    await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest });
    expect(await pair(ada).client.post('approvals/:id/run', { id: approvalId })).toMatchObject({
      result: { changed: true },
    });
    expect(await pair(ada).client.get('four-eyes')).toMatchObject({ batchItems: null });
    expect(await erase(pair(ada), await newAccount())).toMatchObject({ changed: true });
    await pair(ada).client.post('four-eyes/on', { batchItems: 4 });
  });

  it('is not done by a backup from before it was on, neither before nor after recovery apply', async () => {
    await network.halt();
    destroyLog(network);
    const { code, stderr } = await restore(network.dataDir, dir);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    await network.restart();
    expect((await operatorOf(network).get('recovery')).state).not.toBe('serving');
    const status = await until(() =>
      pair(ada)
        .client.get('four-eyes')
        .catch(() => undefined),
    );
    expect(status.batchItems).toBe(4);
    await awaited(pair(ada).client.post('four-eyes/off', { reason: 'now' }));
    await operatorOf(network).post('recovery/apply', { reseedWitness: false, reason: 'drill' });
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200, 120_000);
    expect((await pair(ada).client.get('four-eyes')).batchItems).toBe(4);
    await awaited(pair(ada).client.post('four-eyes/off', { reason: 'again' }));
  });
});
