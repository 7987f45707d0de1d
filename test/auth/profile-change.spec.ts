import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { projectInline } from '../../projections/authority/authority.projection.js';
import { LocalSignIn } from '../../src/doors/auth/sign-in/local.strategy.js';
import { ChangeProfile } from '../../src/commands/profile/change-profile.js';
import { HandleDigest } from '../../src/commands/support/handle-digest.js';
import type { ProfileChange } from '../../src/domain/profile/profile.js';
import { EventLog, LogUnavailable } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { KeyVault, PersonErased } from '../../src/log/vault/key-vault.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { openPostgres } from '../../src/base/store/postgres.js';
import { commandsOn } from '../support/commands.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { FailingLog } from './support/failing-log.js';
import { connect, discover } from './support/flow.js';
import { send } from './support/raw.js';

/** No worker runs here, so all these effects need none. */
let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
});

afterAll(() => network.stop());

const onLog = (log: EventLog, vault = network.vault()) =>
  commandsOn(
    [
      [EventLog, log],
      [KeyVault, vault],
    ],
    network.app(),
  );

const intentOf = (actorId: string, intentId: string = randomUUID()) => ({
  actorId,
  appId: 'app',
  grantId: 'g',
  requestId: 'r',
  addressClass: 'unknown' as const,
  intentId,
});

const change = (
  actorId: string,
  fields: ProfileChange,
  { intentId, log = network.log() }: { intentId?: string; log?: EventLog } = {},
) => onLog(log).execute(new ChangeProfile(intentOf(actorId, intentId), fields));

/** The account that handle and password sign in to. */
const signIn = async (handle: string) =>
  (await network.app().get(LocalSignIn).authenticate({ handle, password }))?.actorId;

/** The holder of the handle by its stream. */
async function holderOf(handle: string): Promise<string | undefined> {
  const digest = await network.app().get(HandleDigest).ofHandle(handle);
  const { event } = (await network.log().read(streams.handle(digest))).at(-1) ?? {};
  return event?.type === 'handle.claimed' ? event.data.actorId : undefined;
}

async function claimsOf(handle: string) {
  const { accessToken } = await connect(client, new Browser(network.baseUrl), handle);
  const headers = [['authorization', `Bearer ${accessToken}`] as const];
  return (await send(network, { path: '/api/auth/oauth2/userinfo', headers })).body;
}

describe('a person who changes their handle', () => {
  it('signs in with the new one at once, and not with the old one', async () => {
    const actorId = await network.createAccount('ada');
    await change(actorId, { revision: 1, handle: 'countess' });
    expect(await signIn('countess')).toBe(actorId);
    expect(await signIn('ada')).toBeUndefined();
    expect(await holderOf('ada')).toBeUndefined();
    const another = await network.createAccount('ada');
    expect(await signIn('ada')).toBe(another);
    await expect(network.createAccount('countess')).rejects.toMatchObject({ code: 'intent_conflict' });
  });

  it('signs in with their last one while they show none', async () => {
    const actorId = await network.createAccount('bob');
    await change(actorId, { revision: 1, handle: 'bobby' });
    await change(actorId, { revision: 2, handle: null });
    await change(actorId, { revision: 3, bio: 'nameless' });
    expect(await signIn('bobby')).toBe(actorId);
    expect([await holderOf('bobby'), await holderOf('bob')]).toEqual([actorId, undefined]);
    await change(actorId, { revision: 4, handle: 'bobby' });
    expect([await signIn('bobby'), await holderOf('bobby')]).toEqual([actorId, actorId]);
  });

  it('can return to the previous one', async () => {
    const actorId = await network.createAccount('carl');
    await change(actorId, { revision: 1, handle: 'charles' });
    await change(actorId, { revision: 2, handle: 'carl' });
    expect([await signIn('carl'), await signIn('charles')]).toEqual([actorId, undefined]);
    expect([await holderOf('carl'), await holderOf('charles')]).toEqual([actorId, undefined]);
  });

  it('signs in with the right one, in whatever order the authority store applies the changes', async () => {
    const actorId = await network.createAccount('dora');
    await change(actorId, { revision: 1, handle: 'dorothea' });
    await change(actorId, { revision: 2, handle: null, displayName: 'D.' });
    const changes = await network.log().read(streams.profile(actorId));
    const { db } = network.app().get(AuthorityStore);
    await db.query(
      `UPDATE authority.account SET handle = 'dora', handle_revision = 1, profile_revision = 1 WHERE actor_id = $1`,
      [actorId],
    );
    await projectInline([...changes.toReversed(), ...changes], db);
    await projectInline(await network.log().read(streams.account(actorId)), db);
    expect([await signIn('dorothea'), await signIn('dora')]).toEqual([actorId, undefined]);
    expect(await claimsOf('dorothea')).toMatchObject({ name: 'D.' });
  });
});

describe('the claims that applications get', () => {
  it('follow the profile, and leave out hidden fields [identity-claims]', async () => {
    const actorId = await network.createAccount('emil');
    await network
      .database()
      .dataSource.query('UPDATE authority.account SET registered_at = 1700000000000 WHERE actor_id = $1', [
        actorId,
      ]);
    const before = await claimsOf('emil');
    expect(before).toMatchObject({ name: 'The emil', preferred_username: 'emil', updated_at: 1_700_000_000 });
    const fields = { displayName: 'Emil B.', bio: 'not told', website: 'https://emil.example/' };
    await change(actorId, { revision: 1, handle: 'emilio', ...fields });
    const after = {
      sub: before.sub,
      name: 'Emil B.',
      website: 'https://emil.example/',
      email: before.email,
      email_verified: false,
      updated_at: expect.any(Number),
    };
    const changedClaims = await claimsOf('emilio');
    expect(changedClaims).toEqual({ ...after, preferred_username: 'emilio' });
    expect(changedClaims.updated_at).toBeGreaterThan(before.updated_at);
    await change(actorId, { revision: 2, handle: null });
    expect(await claimsOf('emilio')).toEqual(after);
  });
});

describe('a change that the log interrupts', () => {
  const steps = ['the claim', 'the change', 'the release of the old handle'];
  const interruptions = steps.flatMap((step, index) =>
    (['before', 'after'] as const).map((when) => [when, step, index + 1] as const),
  );

  it.each(interruptions)('%s %s is completed by the same intent', async (when, _step, failing) => {
    const [old, wanted] = [`fritz_${failing}_${when}`, `fred_${failing}_${when}`];
    const actorId = await network.createAccount(old);
    const [intentId, fields] = [randomUUID(), { revision: 1, handle: wanted }];
    const log = new FailingLog(network.log(), failing, when);
    await expect(change(actorId, fields, { intentId, log })).rejects.toBeInstanceOf(LogUnavailable);
    const known = [await signIn(old), await signIn(wanted)];
    expect(known.filter((each) => each !== undefined)).toEqual([actorId]);

    const { profile } = await change(actorId, fields, { intentId });
    expect(profile).toMatchObject({ handle: wanted, revision: 2 });
    expect([await signIn(old), await signIn(wanted)]).toEqual([undefined, actorId]);
    expect([await holderOf(old), await holderOf(wanted)]).toEqual([undefined, actorId]);
    expect(await network.log().read(streams.profile(actorId))).toHaveLength(1);
  });

  it('after the claim releases the new handle, if another change came first', async () => {
    const actorId = await network.createAccount('gina');
    const [intentId, fields] = [randomUUID(), { revision: 1, handle: 'regina' }];
    const log = new FailingLog(network.log(), 1, 'after');
    await expect(change(actorId, fields, { intentId, log })).rejects.toBeInstanceOf(LogUnavailable);
    await change(actorId, { revision: 1, bio: 'another change' });
    expect(await holderOf('regina')).toBe(actorId);
    await expect(change(actorId, fields, { intentId })).rejects.toMatchObject({ code: 'revision_conflict' });
    expect([await holderOf('regina'), await holderOf('gina')]).toEqual([undefined, actorId]);
  });

  it('before the release does not release the old handle, if the person has claimed it again', async () => {
    const actorId = await network.createAccount('hans');
    const [intentId, fields] = [randomUUID(), { revision: 1, handle: 'hansi' }];
    const log = new FailingLog(network.log(), 3, 'before');
    await expect(change(actorId, fields, { intentId, log })).rejects.toBeInstanceOf(LogUnavailable);
    await change(actorId, { revision: 2, handle: 'hans' });
    await change(actorId, fields, { intentId });
    expect([await holderOf('hans'), await holderOf('hansi')]).toEqual([actorId, undefined]);
    expect(await signIn('hans')).toBe(actorId);
  });
});

describe('the profile of an erased person', () => {
  it('cannot be changed', async () => {
    const actorId = await network.createAccount('ines');
    const { vaultDatabaseUrl: url } = network;
    const database = await openPostgres({ url, applicationName: 'test', maxConnections: 1, migrations: [] });
    await database.pool.query('UPDATE person_key SET key = NULL, destroyed_at = now() WHERE person_id = $1', [
      actorId,
    ]);
    // Like another process, which has not cached the key.
    const vault = new KeyVault(database.pool, () => {
      throw new Error('nobody is new');
    });
    const changing = onLog(network.log(), vault).execute(
      new ChangeProfile(intentOf(actorId), { revision: 1, bio: 'x' }),
    );
    await expect(changing).rejects.toBeInstanceOf(PersonErased);
    await database.close();
  });
});
