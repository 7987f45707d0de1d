import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { refusalCodes } from '../../src/domain/refusal.js';
import { statusOf } from '../../src/http/errors.js';
import type { ErrorCode } from '../../src/http/errors.js';
import { operatorOf, registerApplication, send, signIn } from '../support/api.js';
import type { Answer, SignedIn } from '../support/api.js';
import { root } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { edit, removal, wrote } from '../support/posts.js';

let network: TestNetwork;
let database: Client;
let alice: SignedIn;
let bob: SignedIn;
let reader: SignedIn;

beforeAll(async () => {
  network = await startNetwork();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  const application = await registerApplication(network);
  const everything = allScopes.filter((scope) => scope !== 'offline_access').join(' ');
  alice = await signIn(network, application, everything);
  bob = await signIn(network, application, everything);
  reader = await signIn(network, application, 'openid read');
});

afterAll(async () => {
  await database?.end();
  await network?.stop();
});

/** What brings a code about: a request, or one of another spec, where parts of a network have to fail. */
type Cause = (() => Promise<Answer>) | { readonly spec: string; readonly named: string };

const anonymously = (path: string) => send(network.baseUrl, 'GET', path);
const intent = () => ({ intentId: randomUUID() });
const report = (fields: object) => alice.post('/api/reports', { ...intent(), reason: 'spam', ...fields });
const profile = (fields: object) => alice.patch('/api/profile', { ...intent(), revision: 1, ...fields });

async function whilePublishingIsPaused(request: () => Promise<Answer>): Promise<Answer> {
  await operatorOf(network).setPublishing('pause');
  try {
    return await request();
  } finally {
    await operatorOf(network).setPublishing('resume');
  }
}

/** Asks in a state of the database that begins and ends with a statement. The worker sleeps meanwhile. */
async function between(begin: string, end: string, request: () => Promise<Answer>): Promise<Answer> {
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

const causes: { readonly [Code in ErrorCode]: Cause } = {
  unknown_or_immutable_field: () => alice.say('x', { likes: 1 }),
  invalid_text: () => alice.say(''),
  invalid_json: () => alice.post('/api/posts', '{'),
  intent_required: () => alice.say('x', { intentId: undefined }),
  unsupported_audience: () => alice.say('x', { audience: 'friends' }),
  invalid_parent: () => alice.say('x', { parentId: 'no id' }),
  revision_required: async () => edit(alice, await wrote(alice), { revision: undefined }),
  self_relation: () => alice.put(`/api/relations/follow/${alice.actorId}`, intent()),
  self_block: () => alice.put(`/api/blocks/${alice.actorId}`, intent()),
  invalid_report: () => report({}),
  invalid_cursor: () => alice.get('/api/reconcile?cursor=x'),
  invalid_page_cursor: () => alice.get('/api/relations?cursor=x'),
  invalid_website: () => profile({ website: 'ftp://example.org' }),
  invalid_request: () => alice.get('/api/session', { 'x-network-min-revision': 'soon' }),
  authentication_required: () => anonymously('/api/relations'),
  invalid_token: () => alice.get('/api/session', { authorization: 'Bearer nobody' }),
  capability_required: () => reader.say('x'),
  not_owner: async () => edit(alice, await wrote(bob)),
  interaction_unavailable: () => alice.put('/api/relations/follow/nobody', intent()),
  social_authority_required: async () => {
    const carol = await signIn(network, await registerApplication(network));
    await operatorOf(network).setAccountState(carol.actorId, 'suspend', 'a test');
    return carol.get('/api/session');
  },
  origin_required: { spec: 'test/auth/pages.spec.ts', named: '%s is refused' },
  origin_mismatch: () => alice.get('/api/session', { origin: 'https://pebble.example' }),
  not_found: () => anonymously('/api/actors/nobody'),
  post_unavailable: () => anonymously('/api/posts/nobody'),
  parent_unavailable: () => alice.say('x', { parentId: 'nobody' }),
  intent_conflict: async () => {
    const repeated = intent();
    await alice.say('one', repeated);
    return alice.say('another', repeated);
  },
  revision_conflict: async () => edit(alice, await wrote(alice), { revision: 7 }),
  post_deleted: async () => {
    const id = await wrote(alice);
    await removal(alice, id);
    return removal(alice, id, { revision: 2 });
  },
  effect_mismatch: async () =>
    profile({ handle: (await anonymously(`/api/actors/${bob.actorId}`)).body.actor.handle }),
  domain_plan_too_large: () => alice.say('x'.repeat(64 * 1024)),
  pilot_rate_limited: {
    spec: 'test/api/limits.spec.ts',
    named: 'are 120 a minute for an address, however many processes are asked at once',
  },
  server_error: () =>
    between(
      'ALTER TABLE authority.publishing RENAME TO elsewhere',
      'ALTER TABLE authority.elsewhere RENAME TO publishing',
      () => alice.say('x'),
    ),
  publishing_paused: () => whilePublishingIsPaused(() => alice.say('x')),
  auth_unavailable: {
    spec: 'test/auth/resilience.spec.ts',
    named: 'says when to come back, and recovers by itself',
  },
  authority_unavailable: {
    spec: 'test/api/faults.spec.ts',
    named: 'everything says so, and works again when it is back',
  },
  protected_read_unavailable: {
    spec: 'test/api/faults.spec.ts',
    named: 'writes answer, others read on, and the writer is not shown a view without the write',
  },
  protected_read_storage_unavailable: {
    spec: 'test/api/faults.spec.ts',
    named: 'everything says so, and works again when it is back',
  },
  pilot_storage_unavailable: {
    spec: 'test/api/faults.spec.ts',
    named: 'everything says so, and works again when it is back',
  },
  domain_storage_unavailable: {
    spec: 'test/api/faults.spec.ts',
    named: 'mutations are refused with what to do, reads go on, and all is well once it is back',
  },
  pilot_limits_unavailable: {
    spec: 'test/api/limits.spec.ts',
    named: '%s, who needs to be is told so, and what was taken before goes on',
  },
  trusted_address_unavailable: {
    spec: 'test/api/limits.spec.ts',
    named: 'are refused where the proxy speaks for %p',
  },
  recovery_state_missing: () =>
    between(
      'CREATE TABLE recovery.kept AS TABLE recovery.publication; DELETE FROM recovery.publication',
      'INSERT INTO recovery.publication TABLE recovery.kept; DROP TABLE recovery.kept',
      () => alice.get('/api/session'),
    ),
  recovery_quarantined: () =>
    between(
      `UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`,
      `UPDATE recovery.publication SET status = 'serving', reason = NULL`,
      () => alice.get('/api/session'),
    ),
  recovery_publication_changed: async () => {
    const { rows } = await database.query<{ name: string }>(
      'SELECT schema_name AS name FROM recovery.publication JOIN recovery.incarnation USING (incarnation)',
    );
    const published = rows[0]?.name;
    // The next generation is not found where it is said to be: once looked for, and once again after another look.
    return between(
      `ALTER SCHEMA "${published}" RENAME TO elsewhere`,
      `ALTER SCHEMA elsewhere RENAME TO "${published}"`,
      () => alice.get('/api/profile'),
    );
  },
  recovery_unavailable: {
    spec: 'test/recovery/recovery-command.spec.ts',
    named: 'nothing is planned or applied, and status says what it cannot tell',
  },
  lifecycle_revision_conflict: {
    spec: 'test/auth/operator-lifecycle.spec.ts',
    named: 'does nothing to %s that took another turn than was seen',
  },
  restriction_witness_required: {
    spec: 'test/recovery/witness-faults.spec.ts',
    named: 'where no witness is configured: restriction_witness_required',
  },
  restriction_witness_unavailable_or_incomplete: {
    spec: 'test/recovery/witness-faults.spec.ts',
    named: 'where the witness does not answer, and nothing is written',
  },
  witness_prepare_mismatch: {
    spec: 'test/recovery/witness-faults.spec.ts',
    named: 'where a process died having prepared another one under the same intent',
  },
  witness_acceptance_mismatch: {
    spec: 'test/recovery/witness-faults.spec.ts',
    named: 'where the log has lost what the witness accepted, and takes it again elsewhere',
  },
  ambiguous_acceptance_requires_independent_proof: {
    spec: 'test/recovery/witness-faults.spec.ts',
    named: 'where the log does not say whether it was written',
  },
  witness_finalize_unconfirmed: {
    spec: 'test/recovery/witness-faults.spec.ts',
    named: 'where the witness does not confirm what is in the log',
  },
};

const all = Object.entries(causes).map(([code, cause]) => ({ code: code as ErrorCode, cause }));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const section = (path: string, heading: string): string =>
  textOf(path).split(`\n${heading}\n`)[1]?.split('\n#')[0] ?? '';

describe('the codes', () => {
  it('of the domain are those of the published list, and no others', () => {
    const published = section('docs/network-api.md', '### Domain codes').match(/(?<=`)\w+(?=`)/g) ?? [];
    expect([...refusalCodes].sort()).toEqual(published.sort());
  });

  it('have the statuses that were decided on', () => {
    const rows = section('docs/api-decisions.md', '## Errors').matchAll(/^\| ([0-9]{3}) +\| (.+?) *\|$/gm);
    const decided = [...rows].flatMap(([, status, codes = '']) =>
      codes.split(', ').map((code) => [code, Number(status)] as const),
    );
    expect(statusOf).toEqual(Object.fromEntries(decided));
  });
});

describe('a request is answered with', () => {
  it.each(all.flatMap(({ code, cause }) => (typeof cause === 'function' ? [{ code, cause }] : [])))(
    '$code',
    async ({ code, cause }) => {
      const answer = await cause();
      expect([answer.status, answer.body]).toEqual([
        statusOf[code],
        { error: code, message: expect.any(String) },
      ]);
      expect(answer.headers.has('retry-after')).toBe(answer.status === 503);
    },
  );

  it('405 or 415 where HTTP itself says more exactly what is wrong', async () => {
    const method = await alice.delete('/api/timeline');
    expect([method.status, method.body.error]).toEqual([405, 'invalid_request']);
    const type = await alice.post('/api/posts', '{}', { 'content-type': 'text/plain' });
    expect([type.status, type.body.error]).toEqual([415, 'invalid_json']);
  });
});

describe('elsewhere a request is answered with', () => {
  it.each(all.flatMap(({ code, cause }) => (typeof cause === 'object' ? [{ code, ...cause }] : [])))(
    '$code: $spec',
    ({ code, spec, named }) => {
      expect(textOf(spec)).toContain(`'${named}'`);
      expect(textOf(spec)).toContain(`'${code}'`);
    },
  );
});
