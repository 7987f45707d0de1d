import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { Client } from 'pg';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import { discover } from '../auth/support/flow.js';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import {
  sendRequest,
  everyScope,
  operations,
  requestOf,
  outcomeOf,
  createFixtures,
} from './support/operations.js';
import type { Fixtures } from './support/operations.js';

let network: SharedNetwork;
let application: Application;
let world: Fixtures;

const everything = everyScope.join(' ');

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  const [alice, bob] = [
    await signIn(network, application, everything),
    await signIn(network, application, everything),
  ];
  world = await createFixtures(network.baseUrl, alice, bob);
});

/** Outcome of each operation with this token; undefined: without one. */
async function outcomesFor(by: string | undefined): Promise<Record<string, (string | number | undefined)[]>> {
  const answers = operations.map(
    async (operation) =>
      [operation.id, outcomeOf(await sendRequest(world, { ...requestOf(operation, world), by }))] as const,
  );
  return Object.fromEntries(await Promise.all(answers));
}

const expectedOfAll = (answer: (operation: (typeof operations)[number]) => (string | number | undefined)[]) =>
  Object.fromEntries(operations.map((operation) => [operation.id, answer(operation)]));

describe('the list of operations in these tests', () => {
  it('has every operation of the published document', () => {
    const documented = operationsOf(documentOf(HttpModule, network.baseUrl))
      .filter(({ path }) => !/^\/(api\/auth|\.well-known)\//.test(path))
      .map(({ operation }) => operation.operationId);
    expect(operations.map(({ id }) => id).sort()).toEqual(documented.sort());
  });
});

describe('every operation', () => {
  it('is refused without a token, unless it is public [service-anonymous-reads, service-bearer-needed, summary-profile, summary-session, summary-posts, summary-relations, summary-blocks, summary-following, summary-reconcile, summary-replies, session-bearer, credentials-bearer]', async () => {
    expect(await outcomesFor(undefined)).toEqual(
      expectedOfAll(({ isPublic }) => (isPublic ? [200, undefined] : [401, 'authentication_required'])),
    );
  });

  it('is refused with an unknown token, even if it is public [service-no-fallback]', async () => {
    expect(await outcomesFor('nobody')).toEqual(expectedOfAll(() => [401, 'invalid_token']));
  });

  it('is refused with an expired token [lifetime-access]', async () => {
    const person = await signIn(network, application, everything);
    const database = new Client({ connectionString: network.env['DATABASE_URL'] });
    await database.connect();
    await database.query(
      `UPDATE authority.oidc_record SET expires_at = now() - interval '1 second' WHERE grant_id = $1`,
      [(await person.get('/api/session')).body.grantId],
    );
    await database.end();
    expect(await outcomesFor(person.token)).toEqual(expectedOfAll(() => [401, 'invalid_token']));
  });

  it('is refused with a revoked token', async () => {
    const person = await signIn(network, application, everything);
    const client = await discover({ issuer: `${network.baseUrl}/api/auth` }, application);
    await oidc.tokenRevocation(client, person.token);
    expect(await outcomesFor(person.token)).toEqual(expectedOfAll(() => [401, 'invalid_token']));
  });

  it.each([
    [
      'person',
      ({ actorId }: SignedIn) =>
        operatorOf(network).post('accounts/:id/suspend', { id: actorId, reason: 'a test' }),
    ],
    [
      'application',
      ({ appId }: SignedIn) =>
        operatorOf(network).post('applications/:id/suspend', { id: appId, reason: 'a test' }),
    ],
  ])('is refused while the %s is suspended [lifetime-authority]', async (_whose, suspend) => {
    const person = await signIn(network, await registerApplication(network), everything);
    await suspend(person);
    expect(await outcomesFor(person.token)).toEqual(expectedOfAll(() => [403, 'social_authority_required']));
  });

  it.each(everyScope.filter((scope) => scope !== 'openid'))(
    'that needs the scope %s is refused to a token with all other scopes [summary-profile, summary-posts, summary-relations, summary-blocks, summary-following, summary-reconcile, summary-replies, replies-scope, reconcile-scope, blocks-scope, relations-scope, posts-scope, scopes]',
    async (missing) => {
      const others = everyScope.filter((scope) => scope !== missing).join(' ');
      const { token: by } = await signIn(network, application, others);
      for (const operation of operations.filter(({ scope }) => scope === missing)) {
        const answer = await sendRequest(world, { ...requestOf(operation, world), by });
        expect([operation.id, ...outcomeOf(answer)]).toEqual([operation.id, 403, 'capability_required']);
      }
    },
  );

  it('answers 200 to a token with every scope [service-json, endpoints-paths, service-capabilities, credentials-bearer, session-bearer, service-bearer-needed]', async () => {
    const { baseUrl, alice, bob } = world;
    const answers: Record<string, unknown> = {};
    for (const operation of operations) {
      const request = requestOf(operation, await createFixtures(baseUrl, alice, bob));
      answers[operation.id] = outcomeOf(await sendRequest(world, request));
    }
    expect(answers).toEqual(expectedOfAll(() => [200, undefined]));
  });
});
