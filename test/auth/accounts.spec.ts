import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { passwordFingerprint } from '../../src/base/store/authority/credential-hash.js';
import { ConfirmAddress } from '../../src/commands/account/confirm-address.js';
import { projectInline } from '../../projections/authority/authority.projection.js';
import { Passwords } from '../../src/doors/auth/passwords.js';
import { CreateAccount } from '../../src/commands/account/create-account.js';
import type { NewAccount } from '../../src/commands/account/create-account.js';
import { ChangePassword, RecordSignIn } from '../../src/commands/account/sign-ins.js';
import { HandleDigest } from '../../src/commands/support/handle-digest.js';
import { IssueGrant, RefreshGrant, RevokeGrant } from '../../src/commands/grant/grants.js';
import {
  ReinstateApplication,
  RotateClientSecret,
  SuspendApplication,
} from '../../src/commands/application/applications.js';
import { ReinstateAccount, SuspendAccount } from '../../src/commands/account/accounts.js';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import { EventLog, LogUnavailable } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { LocalSignIn } from '../../src/doors/auth/sign-in/local.strategy.js';
import { commandsOn } from '../support/commands.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { FailingLog } from './support/failing-log.js';

let network: AuthNetwork;
let passwordHash: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  passwordHash = await network.app().get(Passwords).hash(password);
});

afterAll(() => network.stop());

const account = (handle: string, changes: Partial<NewAccount> = {}): NewAccount => ({
  handle,
  displayName: 'Somebody',
  email: `${handle}@example.org`,
  passwordHash,
  idempotencyKey: randomUUID(),
  ...changes,
});

const create = (data: NewAccount) =>
  network
    .app()
    .get(CommandBus)
    .execute(new CreateAccount(data, { requestId: 'r' }));

/** The account that handle and password sign in to. */
async function signIn(handle: string, typed = password): Promise<{ actorId: string } | undefined> {
  const signedIn = await network.app().get(LocalSignIn).authenticate({ handle, password: typed });
  return signedIn && { actorId: signedIn.actorId };
}

const query = (sql: string, parameters: unknown[] = []) =>
  network.database().dataSource.query(sql, parameters);

const onLog = (log: EventLog) => commandsOn([[EventLog, log]], network.app());

describe('an account', () => {
  it('can sign in as soon as it is created', async () => {
    const { actorId, created } = await create(account('ada'));
    expect(created).toBe(true);
    expect(await signIn('ada')).toEqual({ actorId });
  });

  it('is created once by repeated registrations', async () => {
    const data = account('bob');
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(data)));
    expect(new Set(answers.map(({ actorId }) => actorId)).size).toBe(1);
    expect(await create(data)).toEqual({ actorId: answers[0]?.actorId, created: false });
  });

  it('has the password of the attempt that created it, whatever a concurrent attempt wanted', async () => {
    const app = network.app();
    const data = account('ines');
    const otherHash = await app.get(Passwords).hash('another password');
    const gate = Promise.withResolvers<void>();
    const firstRead = Promise.withResolvers<void>();
    let reads = 0;
    /** Its first read is outdated by the time it returns. */
    const delayedLog = new FailingLog(network.log(), 0, 'before');
    delayedLog.read = async (...given) => {
      const past = await network.log().read(...given);
      reads += 1;
      if (reads > 1) return past;
      firstRead.resolve();
      await gate.promise;
      return past;
    };
    const late = onLog(delayedLog).execute(
      new CreateAccount({ ...data, passwordHash: otherHash }, { requestId: 'r' }),
    );
    await firstRead.promise;
    const { actorId, created } = await create(data);
    gate.resolve();
    expect(created).toBe(true);
    expect(await late).toEqual({ actorId, created: false });
    expect(await signIn('ines')).toEqual({ actorId });
  });

  it('attempted concurrently with two passwords has the password of the successful attempt', async () => {
    const data = account('jana');
    const passwords = ['the first password', 'the second password'];
    const answers = await Promise.all(
      passwords.map(async (typed) =>
        create({ ...data, passwordHash: await network.app().get(Passwords).hash(typed) }),
      ),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    for (const [index, { actorId, created }] of answers.entries())
      expect(await signIn('jana', passwords[index])).toEqual(created ? { actorId } : undefined);
  });

  it('with its first sign-in reads one stream and appends to three; a wrong guess of a new stream is read', async () => {
    const log = new FailingLog(network.log(), 0, 'before');
    const read: string[] = [];
    log.read = (stream, options) => {
      read.push(stream);
      return network.log().read(stream, options);
    };
    const bus = onLog(log);
    const { actorId } = await bus.execute(new CreateAccount(account('karl'), { requestId: 'r' }));
    const signInFirst = () => bus.execute(new RecordSignIn(actorId, { requestId: 'r' }, true));
    await signInFirst();
    expect(read).toEqual([streams.account(actorId)]);
    await signInFirst();
    expect(read.slice(1)).toEqual([streams.signIns(actorId)]);
    expect(await network.log().read(streams.signIns(actorId))).toHaveLength(2);
  });

  it('cannot take another account’s handle, and does not change that account’s password', async () => {
    const { actorId } = await create(account('cleo'));
    const other = await network.app().get(Passwords).hash('another password');
    await expect(create(account('cleo', { passwordHash: other }))).rejects.toMatchObject({
      code: 'intent_conflict',
    });
    expect(await signIn('cleo')).toEqual({ actorId });
  });

  it('that several attempts create with one handle is created once', async () => {
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => create(account('dora'))));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await query(`SELECT 1 FROM authority.account WHERE handle = 'dora'`)).toHaveLength(1);
  });

  it('that is refused claims no handle', async () => {
    await expect(create(account('emil', { email: 'nowhere' }))).rejects.toMatchObject({
      code: 'invalid_text',
    });
    await create(account('emil'));
    expect(await signIn('emil')).toBeDefined();
  });

  it('leaves no handle in the stream names of the log', async () => {
    const { actorId } = await create(account('fritz'));
    const digest = await network.app().get(HandleDigest).ofHandle('fritz');
    const claimed = await network.log().read(streams.handle(digest));
    expect(claimed.map(({ event }) => event.data)).toEqual([{ actorId, at: expect.any(Number) }]);
    expect(digest).not.toContain('fritz');
  });

  it.each([
    ['the claim of its handle', 1, 'before'],
    ['the claim of its handle, after appending it', 1, 'after'],
    ['its registration', 2, 'before'],
    ['its registration, after appending it', 2, 'after'],
  ] as const)('is completed by a second attempt when the log fails at %s', async (_what, failing, when) => {
    const handle = `gina_${failing}_${when}`;
    const data = account(handle);
    const handler = onLog(new FailingLog(network.log(), failing, when));
    await expect(handler.execute(new CreateAccount(data, { requestId: 'r' }))).rejects.toBeInstanceOf(
      LogUnavailable,
    );
    expect(await signIn(handle)).toBeUndefined();
    const { actorId } = await create(data);
    expect(await signIn(handle)).toEqual({ actorId });
  });
});

describe('an application', () => {
  it('that is refused leaves no secret', async () => {
    const secrets = async () => (await query('SELECT 1 FROM authority.client_secret')).length;
    const before = await secrets();
    const refused = network.registerApplication(['fly']);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_text' });
    expect(await secrets()).toBe(before);
  });
});

describe('the row of a grant', () => {
  it('has the time of its last use once the worker has applied that event', async () => {
    const { actorId } = await create(account('lena'));
    const { clientId } = await network.registerApplication();
    const bus = network.app().get(CommandBus);
    await bus.execute(new IssueGrant('g-3', clientId, actorId, ['read'], { requestId: 'r' }));
    await bus.execute(new RefreshGrant('g-3', { requestId: 'r' }));
    const lastUsed = async () => {
      const [row] = await query(`SELECT last_used_at FROM authority.app_grant WHERE grant_id = 'g-3'`);
      return row.last_used_at as string | null;
    };
    expect(await lastUsed()).toBeNull();
    const recorded = await network.log().read(streams.grant('g-3'));
    await projectInline(recorded, network.database().dataSource.manager);
    expect(await lastUsed()).toBe(String(recorded.at(-1)?.event.data.at));
  });
});

describe('the rows of the authority store', () => {
  const tables = ['account', 'application', 'app_grant'];
  const everything = () =>
    Promise.all(tables.map((table) => query(`SELECT * FROM authority.${table} ORDER BY 1`)));
  const execute = <Result>(command: Command<Result>) => network.app().get(CommandBus).execute(command);
  const metadata = { requestId: 'r' };

  /** A grant, an account and an application with every kind of event, some repeated. */
  async function history(handle: string, grantId: string) {
    const { actorId } = await create(account(handle));
    const { clientId } = await network.registerApplication();
    await execute(new IssueGrant(grantId, clientId, actorId, ['read'], metadata));
    await execute(new RefreshGrant(grantId, metadata));
    await execute(new RefreshGrant(grantId, metadata));
    const link = {
      actorId,
      from: `${handle}@example.org`,
      password: passwordFingerprint(passwordHash),
      until: 0,
    };
    expect(await execute(new ConfirmAddress({ ...link, address: `new.${link.from}` }, metadata))).toBe(
      'confirmed',
    );
    await execute(new SuspendAccount(actorId, metadata));
    await execute(new ReinstateAccount(actorId, metadata));
    await execute(new SuspendAccount(actorId, metadata));
    await execute(new ChangePassword(actorId, passwordHash, passwordHash, metadata));
    await execute(new SuspendApplication(clientId, metadata));
    await execute(new RotateClientSecret(clientId, 0, metadata));
    await execute(new ReinstateApplication(clientId, metadata));
    await execute(new RevokeGrant(grantId, { cause: 'reuse', of: 'refresh_token' }, metadata));
    const log = network.log();
    const recorded = [
      ...(await log.read(streams.account(actorId))),
      ...(await log.read(streams.access(actorId))),
      ...(await log.read(streams.application(clientId))),
      ...(await log.read(streams.grant(grantId))),
    ];
    return { actorId, clientId, recorded };
  }

  it('do not change when every event is applied again, in any order', async () => {
    const { recorded } = await history('hugo', 'g-1');
    const { manager } = network.database().dataSource;
    await projectInline(recorded, manager);
    const before = await everything();
    await projectInline(recorded, manager);
    await projectInline(recorded.toReversed(), manager);
    for (let offset = 1; offset < recorded.length; offset++)
      await projectInline([...recorded.slice(offset), ...recorded.slice(0, offset)], manager);
    expect(await everything()).toEqual(before);
  });

  it('are rebuilt from the events in any order', async () => {
    const { actorId, clientId, recorded } = await history('iris', 'g-2');
    const { manager } = network.database().dataSource;
    await projectInline(recorded, manager);
    const before = await everything();
    for (let offset = 0; offset < recorded.length; offset++) {
      await query('DELETE FROM authority.account WHERE actor_id = $1', [actorId]);
      await query('DELETE FROM authority.application WHERE app_id = $1', [clientId]);
      await query('DELETE FROM authority.app_grant WHERE grant_id = $1', ['g-2']);
      const turned = [...recorded.slice(offset), ...recorded.slice(0, offset)].toReversed();
      await projectInline(turned, manager);
      // The last use is stored in the row alone: it returns only when that event is applied again.
      await projectInline(turned, manager);
      expect(await everything()).toEqual(before);
    }
  });
});
