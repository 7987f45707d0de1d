/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { allScopes } from '../../src/domain/grant/scopes.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { operatorOf, redirectUri, registerApplication, signIn } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { openLogOf } from '../support/network-log.js';
import { enrollOperator } from '../support/operators.js';
import { consented, personWithToken } from '../support/people.js';
import { isSampled } from '../support/sample.js';
import { CHECKS_MS, until } from '../support/until.js';

const GRANTS = isSampled ? 100 : 400;
const narrow = ['openid', 'read'];

let network: TestNetwork;
let database: Client;
let opened: OpenLog;
let application: Application;
let ada: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  opened = await openLogOf(network);
  application = await registerApplication(network, 'Pebble');
  ada = await personWithToken(network, application, 'read post:create');
});

afterAll(async () => {
  await opened?.close();
  await database?.end();
  await network?.stop();
});

const operator = () => operatorOf(network);

const plaza = (...args: string[]) => runPlaza([...args, '--json'], network.env);

async function update(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await plaza(
    'app',
    'update',
    application.clientId,
    '--reason',
    'a test',
    ...args,
  );
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function countOf(condition: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM authority.app_grant WHERE app_id = $1 AND ${condition}`,
    [application.clientId],
  );
  return rows[0]?.count ?? 0;
}

const liveGrants = () => countOf(`revoked_at IS NULL AND 'post:create' = ANY (scopes)`);

/** A process that died may have held the connection of the operator API. */
const untilAllEnded = () =>
  until(async () => {
    const about = await operator()
      .get('applications/:id', { id: application.clientId })
      .catch(() => undefined);
    return about?.isEndingGrants === false;
  }, CHECKS_MS);

/** Grants of one person, as many consents leave them. */
async function giveGrants(scopes: readonly string[]): Promise<readonly string[]> {
  const grantIds = Array.from({ length: GRANTS }, () => randomUUID());
  for (let n = 0; n < GRANTS; n += 20)
    await Promise.all(
      grantIds.slice(n, n + 20).map((grantId) =>
        opened.log.append({
          stream: streams.grant(grantId),
          expected: 'no_stream',
          events: [
            {
              id: randomUUID(),
              event: {
                type: 'grant.issued',
                data: { grantId, appId: application.clientId, actorId: ada.actorId, scopes, at: Date.now() },
              },
            },
          ],
          metadata: { requestId: 'r' },
        }),
      ),
    );
  return grantIds;
}

describe('plaza app update', () => {
  it('ends each grant with a removed scope once, though the process that does it is killed', async () => {
    const bob = await consented(network, application, ada.actorId, 'read');
    const grantIds = await giveGrants(['post:create', 'read', 'offline_access']);
    await until(async () => (await liveGrants()) === GRANTS + 1);

    const scope = narrow.join(' ');
    const refused = await plaza(
      'app',
      'update',
      application.clientId,
      '--scope',
      scope,
      '--reason',
      'a test',
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`This ends ${GRANTS + 1} grants`);
    expect(await update('--scope', scope, '--end-grants')).toEqual({
      changed: true,
      fields: ['scopes'],
      endsGrants: GRANTS + 1,
      revision: 1,
    });
    await until(async () => (await liveGrants()) < GRANTS - 20);
    process.kill(network.pids().api ?? 0, 'SIGKILL');
    await untilAllEnded();

    expect(await liveGrants()).toBe(0);
    for (const grantId of grantIds) {
      const recorded = await opened.log.read(streams.grant(grantId));
      expect(recorded.map(({ event }) => event.type)).toEqual(['grant.issued', 'grant.revoked']);
      expect(recorded[1]).toMatchObject({
        event: { data: { cause: 'operator' } },
        metadata: {
          operatorId: 'shared-token',
          reason: 'a test',
          cause: streams.applicationChanges(application.clientId),
        },
      });
    }
    expect((await ada.get('/api/session')).status).toBe(401);
    expect((await bob.get('/api/session')).body).toMatchObject({ scopes: ['read'] });
    expect(await countOf(`revoked_at IS NULL AND scopes = '{read}'`)).toBe(1);
  });

  it('leaves no grant with a removed scope to people who sign in meanwhile', async () => {
    expect(await update('--scope', allScopes.join(' '))).toMatchObject({ changed: true, endsGrants: 0 });
    const outcomes: string[] = [];
    const signingIn = new AbortController();
    const people = Array.from({ length: 4 }, async () => {
      while (!signingIn.signal.aborted)
        outcomes.push(
          await signIn(network, application, 'openid read post:create').then(
            () => 'signed in',
            () => 'refused',
          ),
        );
    });
    await until(() => outcomes.length >= 4);
    await update('--scope', narrow.join(' '), '--end-grants');
    const before = outcomes.length;
    await until(() => outcomes.length >= before + 8);
    signingIn.abort();
    await Promise.all(people);
    await untilAllEnded();
    expect(await liveGrants()).toBe(0);
    expect(new Set(outcomes)).toEqual(new Set(['signed in', 'refused']));
    expect((await signIn(network, application, 'openid read')).token).toBeTruthy();
  });

  it('renames it for every reader, also after a rebuild of the read models', async () => {
    await update('--scope', allScopes.join(' '));
    const author = await personWithToken(network, application, 'read post:create');
    const { body } = await author.say('through which application?');
    await update('--name', 'Boulder');
    const nameShown = async () =>
      (await author.get(`/api/posts/${body.post.id as string}`)).body.post?.originApp?.name as string;
    await until(async () => (await nameShown()) === 'Boulder');
    expect((await plaza('projections', 'rebuild', '--reason', 'a test')).code).toBe(0);
    expect(await nameShown()).toBe('Boulder');
  });

  it('shows operators an application whose addresses and secret changed within a day', async () => {
    const calm = await registerApplication(network, 'Calm');
    await operator().post('applications/:id/rotate-secret', { id: calm.clientId, overlapMs: 0 });
    await operator().post('applications/:id/rotate-secret', { id: application.clientId, overlapMs: 0 });
    await update('--redirect-uri', redirectUri, 'https://boulder.example/callback');
    const { token } = await enrollOperator(operator(), ['administrator']);
    const grace = operatorOf({ ...network, env: { ...network.env, OPERATOR_TOKEN: token } });
    const shown = await until(async () => {
      const { changedIdentities } = await grace.get('overview');
      return changedIdentities?.length === 1 && changedIdentities;
    });
    expect(shown).toEqual([{ clientId: application.clientId, name: 'Boulder', at: expect.any(Number) }]);
  });
});
