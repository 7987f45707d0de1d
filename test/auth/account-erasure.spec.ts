import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { Client } from 'pg';
import { pino } from 'pino';
import { Clock } from '../../src/base/support/clock.js';
import { IdGenerator } from '../../src/base/support/id-generator.js';
import { EraseAccount } from '../../src/commands/account/erase-account.js';
import { RequestErasure } from '../../src/commands/account/accounts.js';
import { streams } from '../../src/log/streams.js';
import { KeyVault } from '../../src/log/vault/key-vault.js';
import { Erasures } from '../../src/background/erasure/erasures.js';
import { Witness } from '../../src/log/witness/witness.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { until } from '../support/until.js';
import { AccountFixture, alertIn, isSignInPage, noticeIn } from './support/account.js';
import { password } from './support/auth-network.js';
import { isLive } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

const DAY_MS = 24 * 60 * 60_000;

let fixture: AccountFixture;

beforeAll(async () => {
  fixture = await AccountFixture.start();
});

afterAll(() => fixture.network.stop());

const execute = <Result>(command: object): Promise<Result> =>
  fixture.network
    .app()
    .get(CommandBus)
    .execute(command as never);
const act = { requestId: 'test', operator: 'test', reason: 'a test' };
const eventTypesOf = (actorId: string) => fixture.eventTypesIn(streams.account(actorId));
const hasForm = ({ forms }: PageAnswer, path: string) => forms.some(({ action }) => action.endsWith(path));
const deletionDateOn = ({ text }: PageAnswer): number =>
  Date.parse(
    /will be deleted<\/h2>\s*<p>On <time datetime="([^"]*)">/.exec(text)?.[1] ?? 'no deletion is pending',
  );

describe('deleting one’s account', () => {
  it('needs the password, shows the date in every browser, and changes nothing before that date', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    const told = page.text.replace(/\s+/g, ' ');
    expect(told).toContain('what they still hold of key, name and texts within fifteen minutes');
    expect(told).toContain('those of large tables in the hour after the next 03:00 UTC.');
    expect(told).toContain('A backup or a rebuild that is unfinished then delays this until it ends.');
    const token = await fixture.connect(visitor);
    const before = Date.now();
    const planned = await visitor.submitTo(page, '/erase', { confirm: password });
    expect([planned.status, noticeIn(planned)]).toEqual([
      200,
      'Your account will be deleted. Until then you can keep it.',
    ]);
    expect(deletionDateOn(planned)).toBeGreaterThanOrEqual(before + 7 * DAY_MS);
    expect(deletionDateOn(planned)).toBeLessThanOrEqual(Date.now() + 7 * DAY_MS);
    expect([hasForm(planned, '/erase'), hasForm(planned, '/keep')]).toEqual([false, true]);
    const [, elsewhere] = await fixture.signInAs(handle);
    expect(deletionDateOn(elsewhere)).toBe(deletionDateOn(planned));
    expect(await isLive(fixture.client, token)).toBe(true);
    expect(await eventTypesOf(actorId)).toEqual(['account.registered', 'account.erasure_requested']);
  });

  it('can be cancelled before its date, and requested again', async () => {
    const { visitor, page, actorId } = await fixture.newPerson();
    const planned = await visitor.submitTo(page, '/erase', { confirm: password });
    const kept = await visitor.submitTo(planned, '/keep');
    expect(noticeIn(kept)).toBe('You keep your account: it is not deleted.');
    expect([hasForm(kept, '/erase'), hasForm(kept, '/keep')]).toEqual([true, false]);
    expect(deletionDateOn(await visitor.submitTo(kept, '/erase', { confirm: password }))).not.toBeNaN();
    expect((await eventTypesOf(actorId)).slice(1)).toEqual([
      'account.erasure_requested',
      'account.erasure_cancelled',
      'account.erasure_requested',
    ]);
  });

  it('is requested once by two requests or two browsers, and cancelled once', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    const [other, otherPage] = await fixture.signInAs(handle);
    const answers = await Promise.all([
      visitor.submitTo(page, '/erase', { confirm: password }),
      other.submitTo(otherPage, '/erase', { confirm: password }),
    ]);
    answers.push(await visitor.submitTo(page, '/erase', { confirm: password }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(deletionDateOn)).size).toBe(1);
    const [planned] = answers;
    for (const { status } of await Promise.all([1, 2].map(() => visitor.submitTo(planned, '/keep'))))
      expect(status).toBe(200);
    expect((await eventTypesOf(actorId)).slice(1)).toEqual([
      'account.erasure_requested',
      'account.erasure_cancelled',
    ]);
  });

  it('that an operator requested is shown to the person, who can cancel it', async () => {
    const { visitor, actorId } = await fixture.newPerson();
    await execute(new RequestErasure(actorId, DAY_MS, act));
    const page = await visitor.open(fixture.address);
    expect(deletionDateOn(page)).toBeGreaterThan(Date.now());
    expect(noticeIn(await visitor.submitTo(page, '/keep'))).toContain('You keep your account');
  });

  it('that an operator requested is recorded at its date as the act of that operator', async () => {
    const { actorId } = await fixture.newPerson();
    const requested = { ...act, operatorId: 'o' };
    await execute(new RequestErasure(actorId, 0, requested));
    await execute(new EraseAccount(actorId, { requestId: 'due' }, { onlyWhenDue: true }));
    const erased = (await fixture.network.log().read(streams.account(actorId))).at(-1);
    expect([erased?.event.type, erased?.metadata]).toEqual([
      'account.erased',
      expect.objectContaining({ ...requested, requestId: 'due' }),
    ]);
  });

  it('takes effect at its date: sign-in and tokens end, and the event names the person as its actor', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    const [kept, due] = [await fixture.newPerson(), await fixture.newPerson()];
    const token = await fixture.connect(visitor);
    const planned = await visitor.submitTo(page, '/erase', { confirm: password });
    await kept.visitor.submitTo(
      await kept.visitor.submitTo(kept.page, '/erase', { confirm: password }),
      '/keep',
    );
    await due.visitor.submitTo(due.page, '/erase', { confirm: password });
    const app = fixture.network.app();
    const erasures = new Erasures({
      commands: app.get(CommandBus),
      store: app.get(AuthorityStore),
      vault: app.get(KeyVault),
      witness: app.get(Witness),
      lockUrl: fixture.network.witnessDatabaseUrl,
      clock: app.get(Clock),
      ids: app.get(IdGenerator),
      logger: pino({ level: 'silent' }),
    });
    await execute(new EraseAccount(actorId, { requestId: 'early' }, { onlyWhenDue: true }));
    expect(await eventTypesOf(actorId)).not.toContain('account.erased');
    fixture.network.advanceClock(7 * DAY_MS + 1_000);
    erasures.start();
    const finished = `SELECT FROM authority.account WHERE erasure_finished_at IS NOT NULL AND actor_id = ANY ($1)`;
    const { dataSource } = fixture.network.database();
    expect(
      await until(
        async () => (await dataSource.query<unknown[]>(finished, [[actorId, due.actorId]])).length === 2,
      ),
    ).toBe(true);
    await erasures.stop();
    expect((await fixture.network.log().read(streams.account(actorId))).at(-1)).toMatchObject({
      event: { type: 'account.erased', data: { actorId } },
      metadata: { actorId },
    });
    expect(await eventTypesOf(kept.actorId)).not.toContain('account.erased');
    expect(await isLive(fixture.client, token)).toBe(false);
    expect(isSignInPage(await visitor.open(fixture.address))).toBe(true);
    const late = await visitor.submitTo(planned, '/keep');
    expect([late.status, late.text.includes('login_required')]).toEqual([403, true]);
    const [[, gone], [, nobody]] = [await fixture.signInAs(handle), await fixture.signInAs('nobody_at_all')];
    expect([gone.status, alertIn(gone)]).toEqual([400, alertIn(nobody)]);
  });
});

describe('deleting one’s account is refused', () => {
  it('with a wrong password, after ten of which the right one is refused, too', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    for (const confirm of ['not the one', '']) {
      const wrong = await visitor.submitTo(page, '/erase', { confirm });
      expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your password.']);
      expect(wrong.text).not.toContain('value="not the one"');
      expect(deletionDateOn(wrong)).toBeNaN();
    }
    for (let tries = 2; tries < 10; tries++) await visitor.submitTo(page, '/erase', { confirm: 'x' });
    const refused = await visitor.submitTo(page, '/erase', { confirm: password });
    expect([refused.status, refused.text.includes('pilot_rate_limited')]).toEqual([429, true]);
    // The limit is this browser's: signing in elsewhere takes the password anyway.
    expect((await fixture.signInAs(handle))[1].status).toBe(200);
    expect(await eventTypesOf(actorId)).toEqual(['account.registered']);
  });

  it.each([
    ['without Origin', { origin: '' }, {}, 'origin_required'],
    ['from another site', { origin: 'https://evil.example' }, {}, 'origin_mismatch'],
    ['without its hidden field', {}, { form: '' }, 'invalid_request'],
    ['with a forged hidden field', {}, { form: `x.${'A'.repeat(43)}` }, 'invalid_request'],
  ])('with a form %s, and so is cancelling it', async (_what, headers, fields, code) => {
    const { visitor, page, actorId } = await fixture.newPerson();
    const refused = await visitor.submitTo(page, '/erase', { confirm: password, ...fields }, headers);
    const planned = await visitor.submitTo(page, '/erase', { confirm: password });
    const stays = await visitor.submitTo(planned, '/keep', fields, headers);
    expect([refused.status, stays.status]).toEqual([403, 403]);
    for (const { text } of [refused, stays]) expect(text).toContain(code);
    expect(await eventTypesOf(actorId)).toEqual(['account.registered', 'account.erasure_requested']);
  });

  it('with the form of another person’s page, and without a session', async () => {
    const [ana, bob] = [await fixture.newPerson(), await fixture.newPerson()];
    const stolen = await bob.visitor.submitTo(ana.page, '/erase', { confirm: password });
    const nobody = await new Visitor(fixture.network.baseUrl).submitTo(ana.page, '/erase', {
      confirm: password,
    });
    expect([stolen.status, nobody.status]).toEqual([403, 403]);
    expect(nobody.text).toContain('login_required');
    expect(await eventTypesOf(ana.actorId)).toEqual(['account.registered']);
    expect(await eventTypesOf(bob.actorId)).toEqual(['account.registered']);
  });

  it('while the witness is unavailable, and succeeds afterwards', async () => {
    const { actorId, handle } = await fixture.newPerson();
    const witness = new Client(fixture.network.witnessDatabaseUrl);
    await witness.connect();
    await witness.query('BEGIN; SELECT line FROM head FOR UPDATE');
    await expect(execute(new EraseAccount(actorId, act))).rejects.toThrow('The witness does not answer');
    expect((await fixture.signInAs(handle))[1].status).toBe(200);
    await witness.end();
    expect(await execute(new EraseAccount(actorId, act))).toEqual({ changed: true, revision: 2 });
    expect((await fixture.signInAs(handle))[1].status).toBe(400);
  });
});
