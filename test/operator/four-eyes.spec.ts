import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Allowances } from '../../src/commands/approval/allowances.js';
import { Clock } from '../../src/base/support/clock.js';
import { IdGenerator } from '../../src/base/support/id-generator.js';
import type { ApprovalEvent } from '../../src/domain/approval/events.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { EventLog } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { AwaitsApproval } from '../../src/operator/client/awaits-approval.js';
import type { AwaitedRequest } from '../../src/operator/desk/approvals/awaited-approval.js';
import { warningsOf } from '../../src/operator/console/warnings.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { awaited } from '../support/awaited.js';
import { madeOf } from '../support/commands.js';
import { Desk } from '../support/desk.js';
import type { OperatorsSeat, Seat } from '../support/desk.js';
import { someName } from '../support/operators.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const both = ['administrator', 'moderator'] as const;

let postgres: TestPostgres;
let desk: Desk;
/** Ada requests, and Bob approves. Mia moderates alone. */
let [ada, bob, mia]: OperatorsSeat[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

async function openDesk(): Promise<void> {
  desk = await Desk.open(postgres);
  ada = await desk.enroll(both, 'Ada');
  bob = await desk.enroll(both, 'Bob');
  mia = await desk.enroll(['moderator'], 'Mia');
  await turnOn(2);
  // Who enrolls in the same millisecond counts as enrolled before.
  desk.advance(1);
}

const seat = (found: OperatorsSeat | undefined): OperatorsSeat => {
  if (!found) throw new Error('nobody is enrolled');
  return found;
};

const turnOn = (batchItems: number, by = ada) => seat(by).post('four-eyes/on', { batchItems, reason: 'x' });
const turnOff = (by: Seat = seat(ada)) => by.post('four-eyes/off', {});
const fourEyes = () => seat(ada).get('four-eyes');
const erase = (id: string, by: Seat = seat(ada), delayMs = 0) =>
  by.post('accounts/:id/erase', { id, delayMs, reason: 'asked for it' });
const suspend = (id: string, by: Seat = seat(mia)) => by.post('accounts/:id/suspend', { id, reason: 'spam' });
const approve = ({ approvalId: id, digest }: AwaitedRequest, by: Seat = seat(bob)) =>
  by.post('approvals/:id/approve', { id, digest });
const run = ({ approvalId: id }: Pick<AwaitedRequest, 'approvalId'>, by: Seat = seat(ada)) =>
  by.post('approvals/:id/run', { id });
const refuse = ({ approvalId: id }: AwaitedRequest, by: Seat) =>
  by.post('approvals/:id/refuse', { id, reason: 'not now' });
const stateOf = async ({ approvalId: id }: AwaitedRequest) =>
  (await seat(bob).get('approvals/:id', { id })).state;
const invite = (roles: readonly Role[], by: Seat = seat(ada), name = someName()) =>
  by.post('operators', { name, roles });
const confirm = ({ operatorId: id }: OperatorsSeat, by: Seat) => by.post('operators/:id/confirm', { id });
const setState = ({ operatorId: id }: OperatorsSeat, act: 'suspend' | 'reinstate', by: Seat = seat(ada)) =>
  by.post(`operators/:id/${act}`, { id, reason: 'x' });

/** Approves and executes. */
async function finish(request: AwaitedRequest): Promise<unknown> {
  await approve(request);
  return (await run(request)).result;
}

/** An operator whom two made, and who so counts at once. */
async function joined(roles: readonly Role[]): Promise<OperatorsSeat> {
  const { invitationCode } = (await finish(await awaited(invite(roles)))) as { invitationCode: string };
  return desk.accept(invitationCode);
}

async function requested(): Promise<AwaitedRequest & { readonly actorId: string }> {
  const actorId = await desk.account();
  return { ...(await awaited(erase(actorId))), actorId };
}

async function approved() {
  const request = await requested();
  await approve(request);
  return request;
}

const typesOf = async (stream: string) => (await desk.log.read(stream)).map(({ event }) => event.type);
const erasuresOf = async (actorId: string) =>
  (await desk.log.read(streams.account(actorId))).filter(({ event }) => event.type === 'account.erased');
const rolesOf = async (operatorId: string) =>
  (await seat(ada).get('operators')).find((each) => each.operatorId === operatorId)?.roles;

/** As a process records a step that is then killed. */
const record = ({ approvalId }: AwaitedRequest, event: ApprovalEvent) =>
  desk.given(streams.approval(approvalId), event);
const used = (request: AwaitedRequest) =>
  record(request, {
    type: 'approval.used',
    data: { approvalId: request.approvalId, operatorId: seat(ada).operatorId, at: 1 },
  });

describe('four-eyes', () => {
  let own: Desk;
  afterAll(() => own?.close());

  it('is off until it is set, which needs two active administrators', async () => {
    own = await Desk.open(postgres);
    const first = await own.enroll(['administrator']);
    expect(await first.get('four-eyes')).toMatchObject({
      batchItems: null,
      active: { administrators: 1 },
    });
    expect(await erase(await own.account(), first)).toMatchObject({ changed: true });
    await expect(turnOn(2, first)).rejects.toThrow('(intent_conflict)');
    const second = await own.enroll(both);
    expect(await turnOn(2, first)).toEqual({ changed: true });
    const status = await first.get('four-eyes');
    expect(status).toEqual({ batchItems: 2, active: { administrators: 2, moderators: 1 } });
    const off = await awaited(turnOff(first));
    await approve(off, second);
    expect(await run(off, first)).toMatchObject({ result: { changed: true } });
    expect(await erase(await own.account(), first)).toMatchObject({ changed: true });
  });
});

describe('while four-eyes is on', () => {
  beforeEach(openDesk);
  afterEach(() => desk?.close());

  describe('a request', () => {
    it('is answered with its preview and digest, twice with the same, and does nothing yet', async () => {
      const { actorId, ...request } = await requested();
      expect(request).toMatchObject({
        act: 'account.erase',
        facts: { account: actorId, state: 'active', 'erased for good': 'at once' },
      });
      expect(await awaited(erase(actorId))).toEqual(request);
      expect(await erasuresOf(actorId)).toEqual([]);
      expect(await seat(bob).get('approvals')).toMatchObject([
        { ...request, state: 'waiting', requestedByName: 'Ada', reason: 'asked for it' },
      ]);
    });

    it('has another digest than the same one before, so none tells what was asked', async () => {
      const first = await requested();
      await refuse(first, seat(ada));
      const second = await awaited(erase(first.actorId));
      expect(second.facts).toEqual(first.facts);
      expect(second.digest).not.toBe(first.digest);
    });

    it('is refused for good by another operator, and withdrawn by its requester', async () => {
      for (const by of [seat(bob), seat(ada)]) {
        const request = await requested();
        await refuse(request, by);
        await expect(approve(request)).rejects.toThrow('(intent_conflict)');
        await expect(run(request)).rejects.toThrow('(intent_conflict)');
      }
      await expect(refuse(await requested(), seat(mia))).rejects.toThrow('(capability_required)');
    });

    it('is not made, approved or executed with the shared token', async () => {
      const request = await approved();
      const { shared } = desk;
      for (const act of [
        () => approve(request, shared),
        () => run(request, shared),
        () => erase(request.actorId, shared),
        () => suspend(request.actorId, shared),
        () => turnOff(shared),
        () => invite(['viewer'], shared),
      ])
        await expect(act()).rejects.toThrow('(capability_required)');
      expect(await erasuresOf(request.actorId)).toEqual([]);
    });
  });

  describe('an approval', () => {
    it('is given by another operator, and executed once by the requester', async () => {
      const request = await requested();
      await expect(run(request)).rejects.toThrow('(intent_conflict)');
      expect(await approve(request)).toEqual({ changed: true });
      expect(await erasuresOf(request.actorId)).toEqual([]);
      await expect(run(request, seat(bob))).rejects.toThrow('(not_owner)');
      expect(await run(request)).toMatchObject({ act: 'account.erase', result: { changed: true } });
      await expect(run(request)).rejects.toThrow('(intent_conflict)');
      const { operatorId } = seat(ada);
      const cause = streams.approval(request.approvalId);
      expect(await erasuresOf(request.actorId)).toMatchObject([
        { metadata: { operatorId, reason: 'asked for it', cause } },
      ]);
    });

    it('is refused to the requester, and to operators who may not do the act', async () => {
      const request = await requested();
      await expect(approve(request, seat(ada))).rejects.toThrow('(not_owner)');
      await expect(approve(request, seat(mia))).rejects.toThrow('(capability_required)');
    });

    it('of another digest is refused', async () => {
      const request = { ...(await requested()), digest: '0'.repeat(64) };
      await expect(approve(request)).rejects.toThrow('(effect_mismatch)');
    });

    it('is void if the preview changed before it was given, or before it was used', async () => {
      const waiting = await requested();
      await suspend(waiting.actorId);
      await expect(approve(waiting)).rejects.toThrow('(effect_mismatch)');
      const given = await approved();
      await suspend(given.actorId);
      await expect(run(given)).rejects.toThrow('(effect_mismatch)');
      await seat(mia).post('accounts/:id/reinstate', { id: given.actorId, reason: 'x' });
      await expect(run(given)).rejects.toThrow('(effect_mismatch)');
      expect([await stateOf(waiting), await stateOf(given)]).toEqual(['voided', 'voided']);
      expect(await erasuresOf(given.actorId)).toEqual([]);
    });

    it('expires after a day, before it is given and before it is used', async () => {
      const [waiting, given] = [await requested(), await approved()];
      desk.advance(DAY - 1);
      expect([await stateOf(waiting), await stateOf(given)]).toEqual(['waiting', 'given']);
      desk.advance(1);
      expect([await stateOf(waiting), await stateOf(given)]).toEqual(['expired', 'expired']);
      await expect(approve(waiting)).rejects.toThrow('(intent_conflict)');
      await expect(run(given)).rejects.toThrow('(intent_conflict)');
      expect(await erasuresOf(given.actorId)).toEqual([]);
    });
  });

  describe('what waits for an approval', () => {
    it('is each erasure by an operator, also a planned one', async () => {
      const actorId = await desk.account();
      await awaited(erase(actorId, seat(ada), 60_000));
      const planned = await awaited(erase(actorId, seat(ada), DAY));
      expect(await typesOf(streams.account(actorId))).toEqual(['account.registered']);
      expect(await finish(planned)).toMatchObject({ changed: true });
      expect((await typesOf(streams.account(actorId))).at(-1)).toBe('account.erasure_requested');
    });

    it('is the erasure of many people, once for all of them', async () => {
      const ids = [await desk.account(), await desk.account(), await desk.account()].sort();
      const [first = '', ...others] = ids;
      const eraseAll = (actorIds: readonly string[]) =>
        seat(ada).post('accounts/erase', { actorIds, reason: 'a demo' });
      await expect(eraseAll([first, 'nobody'])).rejects.toThrow('(not_found)');
      await finish(await awaited(erase(first)));
      const waiting = await awaited(eraseAll(ids));
      expect(waiting.facts).toEqual({ accounts: 2, all: others });
      await approve(waiting);
      expect(await run(waiting)).toMatchObject({ result: { erased: 2 } });
      const cause = streams.approval(waiting.approvalId);
      for (const id of others)
        expect(await erasuresOf(id)).toMatchObject([{ metadata: { reason: 'a demo', cause } }]);
      expect(await eraseAll(ids)).toMatchObject({ erased: 0 });
    });

    it('is finished if it erased only some of many people before it was killed', async () => {
      const actorIds = [await desk.account(), await desk.account()];
      const waiting = await awaited(seat(ada).post('accounts/erase', { actorIds, reason: 'a demo' }));
      await approve(waiting);
      const { approvalId } = waiting;
      const stream = streams.approval(approvalId);
      const data = { approvalId, operatorId: seat(ada).operatorId, at: 1 };
      await desk.log.append({
        stream,
        expected: 1n,
        events: [{ id: randomUUID(), event: { type: 'approval.used', data } }],
        metadata: { requestId: 'test', cause: stream },
      });
      await finish(await awaited(erase(actorIds[0] ?? '')));
      expect(await run(waiting)).toMatchObject({ result: { erased: 1 } });
      for (const id of actorIds) expect(await erasuresOf(id)).toHaveLength(1);
    });

    it('is a batch above the set number of restrictions', async () => {
      const actorIds = [await desk.account(), await desk.account(), await desk.account()];
      const waiting = await awaited(batchOf(seat(ada), actorIds));
      expect(waiting.facts).toMatchObject({ restricts: 'accounts', items: 3 });
      expect(await finish(waiting)).toMatchObject({ batchId: waiting.approvalId, items: 3 });
      expect(await batchOf(seat(ada), actorIds.slice(1))).toMatchObject({ items: 2 });
    });

    it.each([['moderator'], ['administrator']] as const)('is the invitation of a %s', async (role) => {
      const waiting = await awaited(invite([role]));
      expect(await rolesOf(waiting.approvalId)).toBeUndefined();
      const invited = await finish(waiting);
      expect(invited).toMatchObject({ operatorId: waiting.approvalId, invitationCode: expect.any(String) });
      expect(await rolesOf(waiting.approvalId)).toEqual([role]);
    });

    it('is each role that allows more, also for oneself, and no lower one', async () => {
      const setRoles = ({ operatorId: id }: OperatorsSeat, roles: readonly Role[]) =>
        seat(ada).post('operators/:id/roles', { id, roles, reason: 'x' });
      const own = await awaited(setRoles(seat(ada), ['administrator', 'moderator', 'auditor']));
      await expect(approve(own, seat(ada))).rejects.toThrow('(not_owner)');
      expect(await rolesOf(seat(ada).operatorId)).toEqual(['moderator', 'administrator']);
      await finish(await awaited(setRoles(seat(mia), ['moderator', 'auditor'])));
      expect(await setRoles(seat(mia), ['moderator'])).toMatchObject({ changed: true });
    });

    it('is the return of each suspended operator', async () => {
      expect(await setState(seat(mia), 'reinstate')).toMatchObject({ changed: false });
      await setState(seat(mia), 'suspend');
      expect(await finish(await awaited(setState(seat(mia), 'reinstate')))).toMatchObject({ changed: true });
    });

    it('is a larger number of restrictions for all, and no smaller one', async () => {
      expect(await turnOn(1)).toEqual({ changed: true });
      await finish(await awaited(turnOn(3)));
      expect(await fourEyes()).toMatchObject({ batchItems: 3 });
    });

    it('is its end', async () => {
      const request = await awaited(turnOff());
      expect(await fourEyes()).toMatchObject({ batchItems: 2 });
      expect(await finish(request)).toMatchObject({ changed: true });
      expect(await fourEyes()).toMatchObject({ batchItems: null });
      expect(await erase(await desk.account())).toMatchObject({ changed: true });
    });
  });

  describe('who joined without a second person', () => {
    const warnings = async () => (await warningsOf(desk.services)).map(({ text }) => text).join('\n');

    it('by an invitation from before, counts once two confirm them', async () => {
      await finish(await awaited(turnOff()));
      const { invitationCode } = await invite(both);
      await turnOn(2);
      desk.advance(1);
      const dan = await desk.accept(invitationCode);
      const request = await requested();
      const refused = '(capability_required)';
      await expect(approve(request, dan)).rejects.toThrow(refused);
      await expect(invite(['viewer'], dan)).rejects.toThrow(
        /joined without a second person.*\(capability_required\)/,
      );
      await expect(setState(seat(bob), 'suspend', dan)).rejects.toThrow('(not_owner)');
      await expect(suspend('nobody', dan)).rejects.toThrow(refused);
      expect(await warnings()).toContain('joined without a second person');
      const confirmation = await awaited(confirm(dan, seat(ada)));
      await expect(approve(confirmation, dan)).rejects.toThrow(refused);
      await finish(confirmation);
      expect(await approve(request, dan)).toEqual({ changed: true });
      expect(await confirm(dan, seat(ada))).toEqual({ changed: false });
      expect(await warnings()).not.toContain('joined without');
    });

    it('by the shared token in an emergency, counts once one confirms them, and after a week', async () => {
      const { shared } = desk;
      await seat(ada).post('shared-token/limit', { reason: 'x' });
      await expect(invite(['administrator'], shared)).rejects.toThrow('(capability_required)');
      await setState(seat(bob), 'suspend');
      expect(await warnings()).toContain('Four-eyes is on, and one administrator can approve');
      await expect(invite(['moderator'], shared)).rejects.toThrow('(capability_required)');
      const gus = await desk.enroll(['administrator'], 'Gus');
      expect(await warnings()).toContain('The limited shared token invited <bdi>Gus</bdi>');
      const request = await requested();
      const refused = '(capability_required)';
      await expect(approve(request, gus)).rejects.toThrow(refused);
      await expect(turnOff(gus)).rejects.toThrow(/confirm you.*\(capability_required\)/);
      await expect(confirm(gus, gus)).rejects.toThrow('(not_owner)');
      const another = await desk.enroll(['administrator']);
      await expect(confirm(another, gus)).rejects.toThrow('(not_owner)');
      await setState(another, 'suspend');
      expect(await confirm(gus, seat(ada))).toEqual({ changed: true });
      expect(await warnings()).not.toContain('The limited shared token');
      await expect(turnOff(gus)).rejects.toThrow(/wait until.*\(capability_required\)/);
      desk.advance(7 * DAY - HOUR);
      await expect(approve(await awaited(erase(request.actorId)), gus)).rejects.toThrow(refused);
      desk.advance(HOUR);
      expect(await approve(await awaited(erase(request.actorId)), gus)).toEqual({ changed: true });
      expect(await warnings()).not.toContain('can approve');
      await expect(invite(['administrator'], shared)).rejects.toThrow(refused);
    });

    it('is what the shared token alone may bring about, beside a reseeded witness', () => {
      const input = { roles: ['administrator'], reseedWitness: true };
      const emergencies = actTable.filter(({ approval }) => approval?.isEmergency?.(input));
      expect(emergencies.map(({ name }) => name)).toEqual(['recovery.apply', 'operator.invite']);
    });
  });

  describe('restrictions of one operator in 24 hours', () => {
    /** `done` or `waits`, for each. */
    const suspendAll = (by: Seat, actorIds: readonly string[]) =>
      Promise.all(
        actorIds.map((actorId) =>
          suspend(actorId, by).then(
            ({ changed }) => (changed ? 'done' : 'nothing'),
            (error: unknown) => (error instanceof AwaitsApproval ? 'waits' : String(error)),
          ),
        ),
      );
    const accounts = (count: number) => Promise.all(Array.from({ length: count }, () => desk.account()));
    const restrictNobody = (by: Seat) => by.post('posts/:id/restrict', { id: 'nobody', reason: 'spam' });

    it('are counted exactly, though all are requested at once', async () => {
      const outcomes = await suspendAll(seat(mia), await accounts(8));
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(2);
      expect(outcomes.filter((outcome) => outcome === 'waits')).toHaveLength(6);
    });

    it('are counted exactly by several processes', async () => {
      const { log, clock, ids } = desk.services;
      const parts = [
        [EventLog, log],
        [Clock, clock],
        [IdGenerator, ids],
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
      expect(await typesOf(streams.operatorRestrictions(operatorId))).toHaveLength(2);
    });

    it('are counted together, by hand and in small batches', async () => {
      const [first = '', second = '', third = ''] = await accounts(3);
      expect(await batchOf(seat(mia), [first])).toMatchObject({ items: 1 });
      expect(await suspend(second)).toMatchObject({ changed: true });
      const batch = await awaited(batchOf(seat(mia), [third]));
      expect(batch.facts).toMatchObject({ restricts: 'accounts', items: 1 });
      const post = await awaited(restrictNobody(seat(mia)));
      expect(post.facts).toEqual({ restricts: 'nobody', state: 'absent' });
      await awaited(suspend(third));
    });

    it('are not used by acts that restrict nothing', async () => {
      const [first = '', second = '', third = ''] = await accounts(3);
      for (let n = 0; n < 3; n++) await expect(restrictNobody(seat(mia))).rejects.toThrow('(not_found)');
      await suspend(first);
      expect(await suspend(first)).toMatchObject({ changed: false });
      await suspend(second);
      await awaited(suspend(third));
    });

    it('above the number are done once another moderator approves them', async () => {
      const [first = '', second = '', third = ''] = await accounts(3);
      await suspendAll(seat(mia), [first, second]);
      const request = await awaited(suspend(third));
      await approve(request);
      expect((await run(request, seat(mia))).result).toMatchObject({ changed: true });
    });

    it('are others again a day later', async () => {
      const [first = '', second = '', third = ''] = await accounts(3);
      await suspendAll(seat(mia), [first, second]);
      desk.advance(DAY - 1);
      await awaited(suspend(third));
      desk.advance(1);
      expect(await suspend(third)).toMatchObject({ changed: true });
    });
  });

  describe('an approved act', () => {
    it('is resumed by the requester, once, if the process was killed before the act', async () => {
      const request = await approved();
      await used(request);
      expect(await run(request)).toMatchObject({ result: { changed: true } });
      await expect(run(request)).rejects.toThrow('(intent_conflict)');
      expect(await erasuresOf(request.actorId)).toHaveLength(1);
    });

    it('is compared with its preview again when it is resumed, unless its event is there already', async () => {
      const [changed, done] = [await approved(), await approved()];
      for (const request of [changed, done]) await used(request);
      await suspend(changed.actorId);
      await expect(run(changed)).rejects.toThrow('(effect_mismatch)');
      const { actorId } = done;
      await desk.log.append({
        stream: streams.account(actorId),
        expected: 0n,
        events: [{ id: randomUUID(), event: { type: 'account.signed_out', data: { actorId, at: 1 } } }],
        metadata: { requestId: 'test', cause: streams.approval(done.approvalId) },
      });
      await expect(run(done)).rejects.toThrow('executed already');
      expect(await stateOf(done)).toBe('carried_out');
      for (const each of [changed, done]) expect(await erasuresOf(each.actorId)).toEqual([]);
    });

    it('that was refused when it was executed is void, and not tried again without the revision', async () => {
      const actorId = await desk.account();
      const body = { id: actorId, reason: 'asked for it', revision: 7 };
      const request = await awaited(seat(ada).post('accounts/:id/erase', body));
      await approve(request);
      await expect(run(request)).rejects.toThrow('(lifecycle_revision_conflict)');
      expect(await stateOf(request)).toBe('voided');
      await expect(run(request)).rejects.toThrow('(effect_mismatch)');
      expect(await erasuresOf(actorId)).toEqual([]);
    });

    it('is resumed after the act, and invites nobody twice', async () => {
      const request = await awaited(invite(['administrator']));
      await approve(request);
      const runs = await Promise.allSettled([1, 2, 3].map(() => run(request)));
      expect(runs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const types = await typesOf(streams.operator(request.approvalId));
      expect(types.filter((type) => type === 'operator.invited')).toHaveLength(1);
    });

    it('is refused if its requester or its approver was suspended meanwhile', async () => {
      const actorIds = await Promise.all([1, 2, 3].map(() => desk.account()));
      const batch = await awaited(batchOf(seat(mia), actorIds));
      await approve(batch);
      await setState(seat(mia), 'suspend');
      await expect(run(batch, seat(mia))).rejects.toThrow('(invalid_token)');
      expect(await typesOf(streams.batch(batch.approvalId))).toEqual([]);
      const request = await approved();
      await setState(seat(bob), 'suspend');
      await expect(run(request)).rejects.toThrow('(capability_required)');
      expect(await erasuresOf(request.actorId)).toEqual([]);
    });

    it('is refused if its requester was suspended before it is approved', async () => {
      const request = await awaited(
        batchOf(seat(mia), await Promise.all([1, 2, 3].map(() => desk.account()))),
      );
      await setState(seat(mia), 'suspend');
      await expect(approve(request)).rejects.toThrow(
        /Who requested it is suspended.*\(capability_required\)/,
      );
    });

    it('by an operator whom two made is approved like any other', async () => {
      const kim = await joined(['administrator']);
      const request = await awaited(erase(await desk.account(), kim));
      await approve(request);
      expect(await run(request, kim)).toMatchObject({ result: { changed: true } });
    });
  });
});

async function batchOf(by: Seat, actorIds: readonly string[]) {
  const plan = { kind: 'accounts', actorIds } as const;
  const { digest } = await by.post('batches/preview', plan);
  return by.post('batches', { ...plan, digest, reason: 'spam' });
}
