import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import { IssueGrant, RefreshGrant, RevokeGrant } from '../../src/commands/grant/grants.js';
import { grantsOfActor, grantsOfApplication, RevokeGrants } from '../../src/commands/grant/revoke-grants.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import { EventLog } from '../../src/log/event-log.js';
import type { Append, ReadOptions } from '../../src/log/event-log.js';
import { commandsOn } from '../support/commands.js';
import { streams } from '../../src/log/streams.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let actorId: string;
let appId: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  actorId = await network.createAccount('ada');
  ({ clientId: appId } = await network.registerApplication());
});

afterAll(() => network.stop());

const metadata = { requestId: 'r', operator: 'grace', reason: 'a test' };
const execute = <Result>(command: Command<Result>) => network.app().get(CommandBus).execute(command);

async function issueGrant(application = appId, person = actorId): Promise<string> {
  const grantId = randomUUID();
  await execute(new IssueGrant(grantId, application, person, ['read'], metadata));
  return grantId;
}

const revokeGrantsOf = (application: string) =>
  execute(new RevokeGrants({ cause: 'operator', appId: application }, metadata));

const disconnect = (person: string, application?: string) =>
  execute(new RevokeGrants({ cause: 'person', actorId: person, appId: application }, metadata));

const refresh = (grantId: string) => execute(new RefreshGrant(grantId, metadata));

async function eventTypesOf(grantId: string): Promise<readonly string[]> {
  const recorded = await network.log().read(streams.grant(grantId));
  return recorded.map(({ event }) => event.type);
}

async function isRevoked(grantId: string): Promise<boolean> {
  const [row] = await network
    .database()
    .dataSource.query('SELECT revoked_at FROM authority.app_grant WHERE grant_id = $1', [grantId]);
  return row.revoked_at !== null;
}

/** Number of events that a refresh reads and appends, and the resulting revision. */
async function costOf(refreshing: RefreshGrant) {
  const log = network.log();
  let [read, appended] = [0, 0];
  const counting = {
    read: async (stream: string, options?: ReadOptions) => {
      const recorded = await log.read(stream, options);
      read += recorded.length;
      return recorded;
    },
    leadership: () => log.leadership(),
    append: async (append: Append) => {
      const done = await log.append(append);
      appended += append.events.length;
      return done;
    },
  } as EventLog;
  const app = network.app();
  const { revision } = await commandsOn([[EventLog, counting]], app).execute(refreshing);
  return { read, appended, revision };
}

describe('a grant', () => {
  it('is refreshed by reading one event, however many it has', async () => {
    const grantId = await issueGrant();
    for (let times = 0; times < 12; times++) await refresh(grantId);
    expect(await costOf(new RefreshGrant(grantId, metadata))).toEqual({
      read: 1,
      appended: 1,
      revision: 13n,
    });
    expect(await eventTypesOf(grantId)).toEqual([
      'grant.issued',
      ...Array<string>(13).fill('grant.refreshed'),
    ]);
  });

  it('is refreshed without a read if the newest revision is known, and with one if it is not', async () => {
    const grantId = await issueGrant();
    const since = (revision: bigint) => new RefreshGrant(grantId, metadata, { appId, actorId, revision });
    expect(await costOf(since(0n))).toEqual({ read: 0, appended: 1, revision: 1n });
    expect(await costOf(since(0n))).toEqual({ read: 1, appended: 1, revision: 2n });
    expect(await costOf(since(9n))).toEqual({ read: 1, appended: 1, revision: 3n });
    await execute(new RevokeGrant(grantId, { cause: 'person' }, metadata));
    await expect(execute(since(3n))).rejects.toMatchObject({ code: 'not_found' });
    expect((await eventTypesOf(grantId)).at(-1)).toBe('grant.revoked');
  });

  it('is not refreshed once it has ended, whatever its row says', async () => {
    const grantId = await issueGrant();
    await execute(new RevokeGrant(grantId, { cause: 'person' }, metadata));
    await network
      .database()
      .dataSource.query('UPDATE authority.app_grant SET revoked_at = NULL WHERE grant_id = $1', [grantId]);
    await expect(refresh(grantId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(refresh('nowhere')).rejects.toMatchObject({ code: 'not_found' });
    expect(await eventTypesOf(grantId)).toEqual(['grant.issued', 'grant.revoked']);
  });

  it('that is refreshed and revoked concurrently ends as revoked', async () => {
    const once = async (): Promise<void> => {
      const grantId = await issueGrant();
      await Promise.allSettled([
        refresh(grantId),
        execute(new RevokeGrant(grantId, { cause: 'client' }, metadata)),
        refresh(grantId),
      ]);
      expect((await eventTypesOf(grantId)).at(-1)).toBe('grant.revoked');
      expect(await isRevoked(grantId)).toBe(true);
    };
    await Promise.all(Array.from({ length: 10 }, once));
  });

  it('that ends by reuse records the reused kind of token, and ends once', async () => {
    const grantId = await issueGrant();
    await refresh(grantId);
    const ending = { cause: 'reuse', of: 'refresh_token' } as const;
    expect(await execute(new RevokeGrant(grantId, ending, metadata))).toEqual({ changed: true });
    expect(await execute(new RevokeGrant(grantId, ending, metadata))).toEqual({ changed: false });
    const recorded = await network.log().read(streams.grant(grantId));
    expect(recorded.slice(2)).toMatchObject([
      { event: { type: 'grant.reuse_detected', data: { grantId, appId, actorId, of: 'refresh_token' } } },
      { event: { type: 'grant.revoked', data: { grantId, appId, actorId, cause: 'reuse' } } },
    ]);
  });
});

describe('the grants of an application', () => {
  it('all end, each with operator and reason, and those of other applications do not', async () => {
    const { clientId } = await network.registerApplication();
    const others = await issueGrant();
    const grantIds = await Promise.all(Array.from({ length: 20 }, () => issueGrant(clientId)));
    await execute(new RevokeGrant(grantIds[0] ?? '', { cause: 'person' }, metadata));
    expect(await revokeGrantsOf(clientId)).toEqual({ revoked: 19 });
    for (const grantId of grantIds) expect(await isRevoked(grantId)).toBe(true);
    expect(await isRevoked(others)).toBe(false);
    const newest = (await network.log().read(streams.grant(grantIds[1] ?? ''))).at(-1);
    expect(newest?.event.data).toMatchObject({ cause: 'operator' });
    expect(newest?.metadata).toMatchObject({ ...metadata, appId: clientId, grantId: grantIds[1] });
    expect(await revokeGrantsOf(clientId)).toEqual({ revoked: 0 });
  });

  it('all end on a retry after a crash between two of them', async () => {
    const { clientId } = await network.registerApplication();
    const [revoked, live] = [await issueGrant(clientId), await issueGrant(clientId)];
    await execute(new RevokeGrant(revoked, { cause: 'operator' }, metadata));
    // As if the process had crashed between the append and the row.
    await network
      .database()
      .dataSource.query('UPDATE authority.app_grant SET revoked_at = NULL WHERE grant_id = $1', [revoked]);
    expect(await revokeGrantsOf(clientId)).toEqual({ revoked: 1 });
    expect([await isRevoked(revoked), await isRevoked(live)]).toEqual([true, true]);
    expect(await eventTypesOf(revoked)).toEqual(['grant.issued', 'grant.revoked']);
  });

  it('all end except one that the log does not know, which is reported', async () => {
    const { clientId } = await network.registerApplication();
    const { dataSource } = network.database();
    await dataSource.query(
      `INSERT INTO authority.app_grant (grant_id, app_id, actor_id, scopes, issued_at) VALUES ('-', $1, $2, '{}', 1)`,
      [clientId, actorId],
    );
    const grantIds = await Promise.all(Array.from({ length: 9 }, () => issueGrant(clientId)));
    await expect(revokeGrantsOf(clientId)).rejects.toMatchObject({
      code: 'not_found',
      message: 'The log does not know 1 of these grants; all others are revoked.',
    });
    expect(await Promise.all(grantIds.map(isRevoked))).toEqual(grantIds.map(() => true));
  });

  it('are found by index, without reading ended ones', async () => {
    const { clientId } = await network.registerApplication();
    const { dataSource } = network.database();
    await dataSource.query(
      `INSERT INTO authority.app_grant (grant_id, app_id, actor_id, scopes, issued_at, revoked_at)
       SELECT 'ended-' || n, $1, $2, '{}', 1, CASE WHEN n > 5 THEN 2 END FROM generate_series(1, 20000) AS n`,
      [clientId, actorId],
    );
    await dataSource.query('VACUUM ANALYZE authority.app_grant');
    const newest = [Number.MAX_SAFE_INTEGER, '', 8];
    for (const [sql, values, index] of [
      [grantsOfApplication, [clientId, ...newest], 'app_grant_of_application'],
      [grantsOfActor, [actorId, ...newest, null], 'app_grant_of_actor'],
    ] as const) {
      const [{ 'QUERY PLAN': plan }] = await dataSource.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, [
        ...values,
      ]);
      expect(JSON.stringify(plan)).toContain(index);
      expect(JSON.stringify(plan)).not.toMatch(/"Rows Removed by Filter": *[1-9]|"Node Type": *"Sort"/);
    }
  });

  it('are not found for an unknown application', async () => {
    await expect(revokeGrantsOf('nobody')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the grants of a person', () => {
  it('all end, or those of one application, each as an act of the person, and those of other people do not', async () => {
    const [bob, { clientId }] = [await network.createAccount('bob'), await network.registerApplication()];
    const others = await issueGrant(clientId);
    const grantIds = await Promise.all(Array.from({ length: 9 }, () => issueGrant(clientId, bob)));
    const elsewhere = await issueGrant(appId, bob);
    expect(await disconnect(bob, clientId)).toEqual({ revoked: 9 });
    for (const grantId of grantIds) expect(await isRevoked(grantId)).toBe(true);
    expect([await isRevoked(elsewhere), await isRevoked(others)]).toEqual([false, false]);
    const newest = (await network.log().read(streams.grant(grantIds[0] ?? ''))).at(-1);
    expect(newest).toMatchObject({
      event: { type: 'grant.revoked', data: { cause: 'person', actorId: bob } },
      metadata: { appId: clientId, grantId: grantIds[0] },
    });
    await issueGrant(clientId, bob);
    expect(await disconnect(bob)).toEqual({ revoked: 2 });
    expect([await isRevoked(elsewhere), await isRevoked(others)]).toEqual([true, false]);
  });

  it('end on a retry after the log was unavailable', async () => {
    const eve = await network.createAccount('eve');
    const grantIds = await Promise.all(Array.from({ length: 9 }, () => issueGrant(appId, eve)));
    await network.eventStore.stop();
    await expect(disconnect(eve)).rejects.toBeInstanceOf(LogUnavailable);
    await network.eventStore.start();
    expect(await Promise.all(grantIds.map(isRevoked))).toEqual(grantIds.map(() => false));
    expect(await disconnect(eve)).toEqual({ revoked: 9 });
  });
});
