import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { publishedDomainCodes } from '../../src/server/domain-codes.js';
import { httpStatusOf } from '../../src/server/errors.js';
import type { ErrorCode } from '../../src/server/errors.js';
import { decidedStatuses } from '../conformance/statuses.ts';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, SignedIn } from '../support/api.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { editPost, deletePost, createPost } from '../support/posts.js';

let network: TestNetwork;
let database: Client;
let alice: SignedIn;
let bob: SignedIn;
let reader: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  const application = await registerApplication(network);
  const everything = allScopes.filter((scope) => scope !== 'offline_access').join(' ');
  alice = await personWithToken(network, application, everything);
  bob = await personWithToken(network, application, everything);
  reader = await personWithToken(network, application, 'openid read');
});

afterAll(async () => {
  await database?.end();
  await network?.stop();
});

const anonymously = (path: string) => send(network.baseUrl, 'GET', path);
const newIntent = () => ({ intentId: randomUUID() });
const report = (fields: object) => alice.post('/api/reports', { ...newIntent(), reason: 'spam', ...fields });
const profile = (fields: object) => alice.patch('/api/profile', { ...newIntent(), revision: 1, ...fields });

async function whilePublishingIsPaused(request: () => Promise<Answer>): Promise<Answer> {
  await operatorOf(network).post('publishing/pause');
  try {
    return await request();
  } finally {
    await operatorOf(network).post('publishing/resume');
  }
}

/** Sends the request between two statements that change and restore the database, with the worker frozen. */
async function inDatabaseState(begin: string, end: string, request: () => Promise<Answer>): Promise<Answer> {
  const { worker = 0 } = network.pids();
  process.kill(worker, 'SIGSTOP');
  await database.query(begin);
  try {
    return await request();
  } finally {
    await database.query(end);
    process.kill(worker, 'SIGCONT');
  }
}

/**
 * Requests that are answered with a code. Other specs cover the codes that need a failing part of a network; `npm run
 * conformance -- --check` verifies that a whole run covers every published code.
 */
const causes: { readonly [Code in ErrorCode]?: () => Promise<Answer> } = {
  unknown_or_immutable_field: () => alice.say('x', { likes: 1 }),
  invalid_text: () => alice.say(''),
  invalid_json: () => alice.post('/api/posts', '{'),
  intent_required: () => alice.say('x', { intentId: undefined }),
  unsupported_audience: () => alice.say('x', { audience: 'friends' }),
  invalid_parent: () => alice.say('x', { parentId: 'no id' }),
  revision_required: async () => editPost(alice, await createPost(alice), { revision: undefined }),
  self_relation: () => alice.put(`/api/relations/follow/${alice.actorId}`, newIntent()),
  self_block: () => alice.put(`/api/blocks/${alice.actorId}`, newIntent()),
  invalid_report: () => report({}),
  invalid_cursor: () => alice.get('/api/reconcile?cursor=x'),
  invalid_page_cursor: () => alice.get('/api/relations?cursor=x'),
  invalid_website: () => profile({ website: 'ftp://example.org' }),
  invalid_request: () => alice.get('/api/session', { 'x-network-min-revision': 'soon' }),
  authentication_required: () => anonymously('/api/relations'),
  invalid_token: () => alice.get('/api/session', { authorization: 'Bearer nobody' }),
  capability_required: () => reader.say('x'),
  not_owner: async () => editPost(alice, await createPost(bob)),
  interaction_unavailable: () => alice.put('/api/relations/follow/nobody', newIntent()),
  social_authority_required: async () => {
    const carol = await personWithToken(network, await registerApplication(network));
    await operatorOf(network).post('accounts/:id/suspend', { id: carol.actorId, reason: 'a test' });
    return carol.get('/api/session');
  },
  origin_mismatch: () => alice.get('/api/session', { origin: 'https://pebble.example' }),
  not_found: () => anonymously('/api/actors/nobody'),
  post_unavailable: () => anonymously('/api/posts/nobody'),
  parent_unavailable: () => alice.say('x', { parentId: 'nobody' }),
  intent_conflict: async () => {
    const repeated = newIntent();
    await alice.say('one', repeated);
    return alice.say('another', repeated);
  },
  revision_conflict: async () => editPost(alice, await createPost(alice), { revision: 7 }),
  post_deleted: async () => {
    const id = await createPost(alice);
    await deletePost(alice, id);
    return deletePost(alice, id, { revision: 2 });
  },
  effect_mismatch: async () =>
    profile({ handle: (await anonymously(`/api/actors/${bob.actorId}`)).body.actor.handle }),
  domain_plan_too_large: () => alice.say('x'.repeat(64 * 1024)),
  server_error: () =>
    inDatabaseState(
      'ALTER TABLE authority.publishing RENAME TO elsewhere',
      'ALTER TABLE authority.elsewhere RENAME TO publishing',
      () => alice.say('x'),
    ),
  publishing_paused: () => whilePublishingIsPaused(() => alice.say('x')),
  recovery_state_missing: () =>
    inDatabaseState(
      'CREATE TABLE recovery.kept AS TABLE recovery.publication; DELETE FROM recovery.publication',
      'INSERT INTO recovery.publication TABLE recovery.kept; DROP TABLE recovery.kept',
      () => alice.get('/api/session'),
    ),
  recovery_quarantined: () =>
    inDatabaseState(
      `UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`,
      `UPDATE recovery.publication SET status = 'serving', reason = NULL`,
      () => alice.get('/api/session'),
    ),
  recovery_publication_changed: async () => {
    const { rows } = await database.query<{ name: string }>(
      'SELECT schema_name AS name FROM recovery.publication JOIN recovery.incarnation USING (incarnation)',
    );
    const published = rows[0]?.name;
    // The published schema does not exist: the read fails, looks up the publication again, and fails again.
    return inDatabaseState(
      `ALTER SCHEMA "${published}" RENAME TO elsewhere`,
      `ALTER SCHEMA elsewhere RENAME TO "${published}"`,
      () => alice.get('/api/profile'),
    );
  },
};

const all = Object.entries(causes).map(([code, cause]) => ({ code: code as ErrorCode, cause }));
const document = readFileSync(new URL('../../docs/network-api.md', import.meta.url), 'utf8');

describe('the error codes', () => {
  it('of the domain are exactly the published ones [error-domain-codes]', () => {
    const [, section = ''] = document.split('\n### Domain codes\n');
    const published = section.split('\n#')[0]?.match(/(?<=`)\w+(?=`)/g) ?? [];
    expect([...publishedDomainCodes].sort()).toEqual(published.sort());
  });

  it('have the decided HTTP statuses', () => {
    expect(httpStatusOf).toEqual(decidedStatuses());
  });
});

describe('a request is answered with the code', () => {
  it.each(all)(
    '$code [error-domain-codes, endpoints-error-object, error-object, error-exact]',
    async ({ code, cause }) => {
      const answer = await cause();
      expect([answer.status, answer.body]).toEqual([
        httpStatusOf[code],
        { error: code, message: expect.any(String) },
      ]);
      expect(answer.headers.has('retry-after')).toBe(answer.status === 503);
    },
  );

  it('of its fault under 405 or 415, if HTTP has a more exact status', async () => {
    const method = await alice.delete('/api/timeline');
    expect([method.status, method.body.error]).toEqual([405, 'invalid_request']);
    const type = await alice.post('/api/posts', '{}', { 'content-type': 'text/plain' });
    expect([type.status, type.body.error]).toEqual([415, 'invalid_json']);
  });
});
