/**
 * Four-eyes by each entrance. Its rules are in test/operator/four-eyes.spec.ts, its return after a restore in operators.spec.ts.
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventLog } from '../../src/log/event-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import type { AwaitedRequest } from '../../src/operator/desk/approvals/awaited-approval.js';
import { operatorOf } from '../support/api.js';
import { awaited } from '../support/awaited.js';
import { suspendAll } from '../support/batches.js';
import { runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { openLogOf } from '../support/network-log.js';
import { someName } from '../support/operators.js';
import { until } from '../support/until.js';
import { enrollPair, entrancesOf, sendJson } from './support/second-pair.js';
import type { EntranceName, Pair } from './support/second-pair.js';

let network: TestNetwork;
let opened: OpenLog;
let log: EventLog;
/** Ada requests, and Bob approves. */
let [ada, bob]: Pair[] = [];

const entrances: readonly EntranceName[] = ['API', 'command line', 'form'];

beforeAll(async () => {
  network = await lentNetwork();
  opened = await openLogOf(network);
  ({ log } = opened);
  ada = await enrollPair(network, ['administrator', 'moderator'], someName('Ada'));
  bob = await enrollPair(network, ['administrator', 'moderator'], someName('Bob'));
});

afterAll(async () => {
  await opened?.close();
  await network?.stop();
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

const requestErasure = async (): Promise<AwaitedRequest & { readonly actorId: string }> => {
  const actorId = await newAccount();
  return {
    ...(await awaited(
      pair(ada).client.post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'asked for it' }),
    )),
    actorId,
  };
};

const suspend = (id: string) => pair(ada).client.post('accounts/:id/suspend', { id, reason: 'spam' });

/** Approves and executes. */
async function finish({ approvalId, digest }: AwaitedRequest): Promise<unknown> {
  await pair(bob).client.post('approvals/:id/approve', { id: approvalId, digest: digest });
  return (await pair(ada).client.post('approvals/:id/run', { id: approvalId })).result;
}

const erasuresOf = async (actorId: string) =>
  (await log.read(streams.account(actorId))).filter(({ event }) => event.type === 'account.erased');

/** The number of suspensions of these accounts. */
const suspensionsOf = async (actorIds: readonly string[]): Promise<number> => {
  const read = await Promise.all(actorIds.map((id) => log.read(streams.account(id))));
  return read.flat().filter(({ event }) => event.type === 'account.suspended').length;
};

const consoleUrl = (): string => `http://localhost:${network.env['OPERATOR_PORT']}/console/approvals`;

describe('four-eyes', () => {
  it('once on, answers an erasure with its preview and digest, twice with the same, and does nothing yet', async () => {
    expect(await pair(ada).client.post('four-eyes/on', { batchItems: 4 })).toEqual({ changed: true });
    const { actorId, ...request } = await requestErasure();
    const facts = { account: actorId, state: 'active', 'erased for good': 'at once' };
    expect(request).toMatchObject({ act: 'account.erase', facts });
    const body = { reason: 'asked for it' };
    const again = await sendJson(network, pair(ada).token, `/accounts/${actorId}/erase`, body);
    expect(again).toEqual({ status: 202, body: { waitsFor: 'approval', ...request } });
    expect(await erasuresOf(actorId)).toEqual([]);
  });

  it('shows the command line its own exit code, and the overview what was planned', async () => {
    const actorId = await newAccount();
    const env = { ...network.env, OPERATOR_TOKEN: pair(ada).token };
    const args = ['account', 'erase', actorId, '--delay', '24h', '--reason', 'x'];
    const { code, stdout } = await runPlaza(args, env);
    expect(code).toBe(3);
    expect(stdout).toContain('waits for the approval of another operator; nothing has happened yet');
    await finish(
      await awaited(
        pair(ada).client.post('accounts/:id/erase', { id: actorId, delayMs: 24 * 60 * 60_000, reason: 'x' }),
      ),
    );
    const { text } = await pair(bob).browser.open(new URL('/console/overview', consoleUrl()).href);
    const planned = `1 account.*${actorId}.*planned by\\s+<bdi>operator Ada \\w+, says: test</bdi>`;
    expect(text).toMatch(new RegExp(`Planned erasures.*${planned}`, 's'));
    await pair(bob).client.post('accounts/:id/cancel-erasure', { id: actorId, reason: 'a mistake' });
  });

  it.each(entrances)(
    'is approved by another operator and executed once by the requester, by %s',
    async (name) => {
      const { approve, run } = entrancesOf(network)[name];
      const { approvalId, digest, actorId } = await requestErasure();
      expect(await run(pair(ada), approvalId)).toBe('intent_conflict');
      expect(await approve(pair(ada), approvalId, digest)).toBe('not_owner');
      expect(await approve(pair(bob), approvalId, '0'.repeat(64))).toBe('effect_mismatch');
      expect(await approve(pair(bob), approvalId, digest)).toBe('done');
      expect(await erasuresOf(actorId)).toEqual([]);
      expect(await run(pair(ada), approvalId)).toBe('done');
      expect(await erasuresOf(actorId)).toHaveLength(1);
    },
  );

  it('has no session for the shared token in a form', async () => {
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

  it('waits in a form of the console, too, and shows who may approve', async () => {
    const { browser } = pair(ada);
    const url = new URL(consoleUrl()).origin;
    const page = await browser.open(`${url}/console/operators`);
    const form = page.forms.find(({ action }) => action === '/console/operators');
    if (!form) throw new Error(page.text);
    const answer = await browser.submit(page, form, { name: someName('Dora'), roles: 'administrator' });
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

  it('holds a link that sets a new password, and prints it once, to the requester', async () => {
    const actorId = await newAccount();
    const plaza = (...args: string[]) => runPlaza(args, { ...network.env, OPERATOR_TOKEN: pair(ada).token });
    const asked = await plaza('account', 'recovery-link', actorId, '--reason', 'letter 4');
    expect([asked.code, asked.stdout]).toEqual([
      3,
      expect.stringContaining('Make a link that sets a new password: it waits for the approval'),
    ]);
    const request = await awaited(
      pair(ada).client.post('accounts/:id/recovery-link', { id: actorId, reason: 'letter 4' }),
    );
    expect(asked.stdout).toContain(request.approvalId);
    expect(await log.read(streams.recoveryLinks(actorId))).toEqual([]);
    const { approvalId: id, digest } = request;
    await pair(bob).client.post('approvals/:id/approve', { id, digest });
    const ran = await plaza('approval', 'run', id);
    const [link = ''] = /https?:\S+/.exec(ran.stdout) ?? [];
    expect([ran.code, link]).toEqual([0, expect.stringContaining('/recovery/link?token=')]);
    const [made] = await log.read(streams.recoveryLinks(actorId));
    expect(made?.metadata).toMatchObject({
      operatorId: pair(ada).operatorId,
      reason: 'letter 4',
      cause: streams.approval(id),
    });
    const events = [made, ...(await log.read(streams.approval(id)))];
    const recorded = JSON.stringify(
      [events, await pair(ada).client.get('approvals/:id', { id })],
      (_, value) => (typeof value === 'bigint' ? String(value) : (value as unknown)),
    );
    for (const part of [actorId, 'letter 4', pair(ada).operatorId, pair(bob).operatorId])
      expect(recorded).toContain(part);
    expect(recorded).not.toContain(new URL(link).searchParams.get('token'));
    expect((await plaza('approval', 'run', id)).stderr).toContain('(intent_conflict)');
    const ended = await runPlaza(['account', 'end-recovery-link', actorId, '--reason', 'x'], {
      ...network.env,
      OPERATOR_TOKEN: pair(bob).token,
    });
    expect(ended.stdout).toContain('is ended');
  });

  it("holds an export of a person's data, which the requester then has sent", async () => {
    const actorId = await newAccount();
    const plaza = (...args: string[]) => runPlaza(args, { ...network.env, OPERATOR_TOKEN: pair(ada).token });
    const asked = await plaza('account', 'export', actorId, '--reason', 'letter 5');
    expect([asked.code, asked.stdout]).toEqual([3, expect.stringContaining('Export the data of a person')]);
    const [, id = ''] = /^approval +(\S+)/m.exec(asked.stdout) ?? [];
    const { digest } = await pair(bob).client.get('approvals/:id', { id });
    expect(await log.read(streams.accountExports(actorId))).toEqual([]);
    await pair(bob).client.post('approvals/:id/approve', { id, digest });
    const ran = await plaza('approval', 'run', id);
    expect(ran.stdout).toContain(`plaza account export ${actorId} --begun ${id} > FILE`);
    const sent = await plaza('account', 'export', actorId, '--begun', id);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining('plaza-own-data/v1')]);
    const [recorded] = await log.read(streams.accountExports(actorId));
    expect(recorded?.metadata).toMatchObject({
      operatorId: pair(ada).operatorId,
      cause: streams.approval(id),
    });
  });

  it('holds a recovery that reseeds the witness, and no other', async () => {
    const { client } = pair(ada);
    expect(await client.post('recovery/apply', { reseedWitness: false })).toEqual({ job: null });
    await expect(operatorOf(network).post('recovery/apply', { reseedWitness: true })).rejects.toThrow(
      '(capability_required)',
    );
    const { job } = (await finish(await awaited(client.post('recovery/apply', { reseedWitness: true })))) as {
      job: { id: string };
    };
    await until(async () => (await client.get('jobs/:id', { id: job.id })).state === 'published', 60_000);
  });

  it('holds a batch of more restrictions than one operator may make in 24 hours, and applies it once approved', async () => {
    const { client } = pair(ada);
    const actorIds = await Promise.all([1, 2, 3, 4, 5].map(newAccount));
    const request = await awaited(suspendAll(client, actorIds, 'spam'));
    expect(request.facts).toMatchObject({ restricts: 'accounts', items: 5 });
    expect(await suspensionsOf(actorIds)).toBe(0);
    expect(await finish(request)).toMatchObject({ batchId: request.approvalId, items: 5 });
    await until(
      async () => (await client.get('batches/:id', { id: request.approvalId })).state === 'applied',
    );
    expect(await suspensionsOf(actorIds)).toBe(5);
  });

  it('holds a single restriction above that number, and makes it once approved', async () => {
    await suspendAll(pair(ada).client, await Promise.all([1, 2, 3, 4].map(newAccount)), 'spam');
    const id = await newAccount();
    const request = await awaited(suspend(id));
    expect(await suspensionsOf([id])).toBe(0);
    expect(await finish(request)).toMatchObject({ changed: true });
    expect(await suspensionsOf([id])).toBe(1);
  });

  it('executes an approved act once, though the process is killed after the approval', async () => {
    const { approvalId: id, digest, actorId } = await requestErasure();
    await pair(bob).client.post('approvals/:id/approve', { id, digest });
    const killed = network.pids().api ?? 0;
    process.kill(killed, 'SIGKILL');
    const run = () => pair(ada).client.post('approvals/:id/run', { id });
    await until(async () => {
      await run().catch(() => undefined);
      return (await erasuresOf(actorId)).length > 0;
    }, 60_000);
    expect(network.pids().api).not.toBe(killed);
    await expect(run()).rejects.toThrow('(intent_conflict)');
    expect(await erasuresOf(actorId)).toHaveLength(1);
    // The restrictions of the case before count after the restart, too.
    await awaited(suspend(await newAccount()));
  });

  it('ends once two want that', async () => {
    expect(await finish(await awaited(pair(ada).client.post('four-eyes/off')))).toEqual({
      changed: true,
    });
    expect((await pair(ada).client.get('four-eyes')).batchItems).toBeNull();
  });
});
