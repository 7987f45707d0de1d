import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import type * as oidc from 'openid-client';
import { connectedApplicationsSql } from '../../src/doors/auth/account/connected-applications.js';
import { Clock } from '../../src/base/support/clock.js';
import { IssueGrant } from '../../src/commands/grant/grants.js';
import { RevokeGrants } from '../../src/commands/grant/revoke-grants.js';
import { grantLifetimeOf } from '../../src/domain/grant/lifetimes.js';
import { applicationsOf, listApplications } from '../../src/operator/desk/applications.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover, exchange, isLive } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

const MINUTE_MS = 60_000;

let network: AuthNetwork;
let account: string;
let clientId: string;
let client: oidc.Configuration;
let people = 0;

beforeAll(async () => {
  network = await startAuthNetwork();
  account = `${network.issuer}/account`;
  const application = await network.registerApplication();
  ({ clientId } = application);
  client = await discover(network, application);
});

afterAll(() => network.stop());

const metadata = { requestId: 'r', operator: 'grace', reason: 'a test' };
const execute = <Result>(command: Command<Result>) => network.app().get(CommandBus).execute(command);
const query = (sql: string, values: unknown[]) => network.database().dataSource.query(sql, values);
const now = () => network.app().get(Clock).now();

/** A new person, signed in at the account page. */
async function newPerson(): Promise<{ actorId: string; visitor: Visitor }> {
  const handle = `person_${++people}`;
  const actorId = await network.createAccount(handle);
  const visitor = new Visitor(network.baseUrl);
  await visitor.submit(await visitor.open(account), { handle, password });
  return { actorId, visitor };
}

async function issueGrant(actorId: string, scopes: readonly string[]): Promise<string> {
  const grantId = randomUUID();
  await execute(new IssueGrant(grantId, clientId, actorId, scopes, metadata));
  return grantId;
}

/** Makes the person's grants older. */
const ageGrants = (actorId: string, ms: number) =>
  query('UPDATE authority.app_grant SET issued_at = issued_at - $2 WHERE actor_id = $1', [actorId, ms]);

const isListed = ({ text }: PageAnswer) => text.includes('name="application"');

/** The number in the operator's list of applications. */
async function usableGrants(): Promise<number | undefined> {
  const applications = await applicationsOf(network.app().get(AuthorityStore), now());
  return applications.find((each) => each.clientId === clientId)?.grants;
}

async function countUnrevoked(actorId: string): Promise<number> {
  const rows = await query('SELECT FROM authority.app_grant WHERE actor_id = $1 AND revoked_at IS NULL', [
    actorId,
  ]);
  return rows.length;
}

describe('a grant, on the account page and in the operator’s list,', () => {
  it.each([
    ['the last token without offline_access has expired', ['post:create', 'read']],
    ['the last refreshed token has expired', ['offline_access', 'read']],
  ])('is shown until %s', async (_when, scopes) => {
    const { actorId, visitor } = await newPerson();
    const others = (await usableGrants()) ?? 0;
    await issueGrant(actorId, scopes);
    await ageGrants(actorId, grantLifetimeOf(scopes) - MINUTE_MS);
    expect([isListed(await visitor.open(account)), await usableGrants()]).toEqual([true, others + 1]);
    network.advanceClock(MINUTE_MS);
    expect([isListed(await visitor.open(account)), await usableGrants()]).toEqual([false, others]);
  });

  it('is shown while a browser can still bring its code after a late redirect', async () => {
    const { actorId, visitor } = await newPerson();
    const attempt = await authorizationRequest(client, 'read');
    const consent = await visitor.open(attempt.url);
    const { action, fields } = consent.forms.find(({ buttons }) =>
      buttons.some(({ name }) => name === 'decision'),
    )!;
    const allowed = await visitor.request(new URL(action, network.baseUrl), {
      method: 'POST',
      headers: { origin: network.baseUrl },
      body: new URLSearchParams({ ...fields, decision: 'allow' }),
    });
    await ageGrants(actorId, 14 * MINUTE_MS);
    const { url } = await visitor.open(new URL(allowed.headers.get('location')!, network.baseUrl));
    const { access_token: token } = await exchange(client, new URL(url), attempt);
    expect(await isLive(client, token)).toBe(true);
    expect(isListed(await visitor.open(account))).toBe(true);
  });

  it('is hidden once it is too old, but is revoked together with the others', async () => {
    const { actorId, visitor } = await newPerson();
    await Promise.all([issueGrant(actorId, ['read']), issueGrant(actorId, ['post:create'])]);
    await ageGrants(actorId, grantLifetimeOf(['read']));
    await issueGrant(actorId, ['read']);
    const page = await visitor.open(account);
    expect(page.text).not.toContain('Write posts and replies');
    expect(await countUnrevoked(actorId)).toBe(3);
    await visitor.submit(page, { application: clientId });
    expect(await countUnrevoked(actorId)).toBe(0);
    await issueGrant(actorId, ['read']);
    await ageGrants(actorId, grantLifetimeOf(['read']));
    const others = (await execute(new RevokeGrants({ cause: 'operator', appId: clientId }, metadata)))
      .revoked;
    expect(others).toBeGreaterThan(0);
    expect(await countUnrevoked(actorId)).toBe(0);
  });

  it('is found by index, without reading ended or too old ones', async () => {
    const { actorId } = await newPerson();
    await query(
      `INSERT INTO authority.app_grant (grant_id, app_id, actor_id, scopes, issued_at, revoked_at)
       SELECT n, CASE WHEN n % 10 < 5 THEN $1 ELSE 'app-' || n END, CASE n % 10 WHEN 0 THEN $2 ELSE 'actor-' || n END,
         '{offline_access}', CASE WHEN n < 100 THEN $3::bigint ELSE n END, CASE WHEN n > 10000 THEN n END
       FROM generate_series(1, 20000) AS n`,
      [clientId, actorId, now()],
    );
    await query('VACUUM ANALYZE authority.app_grant', []);
    const planOf = async (sql: string, values: unknown[]) =>
      JSON.stringify(await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values));
    for (const [plan, index] of [
      [await planOf(connectedApplicationsSql, [actorId, now()]), 'app_grant_of_actor'],
      [await planOf(listApplications, [now()]), 'app_grant_of_application'],
    ] as const) {
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/"Rows Removed by [^"]*": *[1-9]/);
    }
  });
});
