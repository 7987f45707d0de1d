import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { signIn as authorize } from '../../src/programs/demo/sign-in.js';
import {
  operatorOf,
  password,
  redirectUri,
  registerApplication,
  send,
  signInRegistered,
} from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { statusAndBody, block, editPost, createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { follow } from '../support/social.js';

const scopes = 'openid read post:create post:edit relation:write block:read block:write inbox:write';

let network: SharedNetwork;
let application: Application;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [alice, bob] = [await newPerson(), await newPerson()];
});

const newPerson = () => personWithToken(network, application, scopes);
const expectIsNow = (at: number) => expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
const profileOf = async (who: SignedIn) => (await who.get('/api/profile')).body.profile;

describe('one person with two applications', () => {
  let throughOther: SignedIn;

  beforeAll(async () => {
    const other = await registerApplication(network, 'Quill');
    throughOther = await signInRegistered(network, other, await profileOf(alice), scopes);
  });

  it('is one actor, under one grant for each application [service-actor, service-bearer, session-answer]', async () => {
    const [one, other] = [
      (await alice.get('/api/session')).body,
      (await throughOther.get('/api/session')).body,
    ];
    expect([one.actorId, one.appId]).toEqual([alice.actorId, application.clientId]);
    expect([other.actorId, other.appId]).toEqual([alice.actorId, throughOther.appId]);
    expect(other.grantId).not.toBe(one.grantId);
  });

  it('edits in one application a post of the other, and the post names both [post-origin-app, post-last-edit-app, post-last-edit-at]', async () => {
    const id = await createPost(alice);
    expect((await editPost(throughOther, id)).status).toBe(200);
    const { post } = (await bob.get(`/api/posts/${id}`)).body;
    expect(post).toMatchObject({
      authorActorId: alice.actorId,
      originApp: { id: application.clientId, name: 'Pebble' },
      lastEditAppId: throughOther.appId,
    });
    expect(post.lastEditAt).toBeGreaterThan(post.createdAt);
    expectIsNow(post.lastEditAt);
  });
});

describe('the actor of a request', () => {
  it('is the actor of the grant, whatever a parameter says [service-actor-from-grant, profile-actor]', async () => {
    const own = await profileOf(alice);
    for (const name of ['actorId', 'actor', 'sub', 'id']) {
      const asked = await alice.get(`/api/profile?${name}=${bob.actorId}`);
      expect([asked.status, asked.body]).toEqual([200, { profile: own }]);
    }
    for (const name of ['actorId', 'authorActorId']) {
      const refused = await alice.say('not by bob', { [name]: bob.actorId });
      expect([refused.status, refused.body.error]).toEqual([400, 'unknown_or_immutable_field']);
    }
  });
});

describe('the own profile', () => {
  it('is read without a body and without parameters, and both change nothing [profile-request]', async () => {
    const { parameters, requestBody } = documentOf(HttpModule, network.baseUrl).paths['/api/profile']!.get!;
    expect(parameters.filter((parameter) => !('in' in parameter) || parameter.in !== 'header')).toEqual([]);
    expect(requestBody).toBeUndefined();
    const { hostname, port } = new URL(network.baseUrl);
    const body = JSON.stringify({ actorId: bob.actorId });
    const sent = request({
      hostname,
      port,
      path: '/api/profile?fields=handle&limit=0&cursor=x',
      headers: {
        authorization: `Bearer ${alice.token}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    expect([answer.statusCode, await json(answer)]).toEqual([200, { profile: await profileOf(alice) }]);
  });
});

describe('anything outside of the API', () => {
  it.each([
    '/operator/accounts',
    '/operator/projections',
    '/metrics',
    '/api/accounts',
    '/api/moderation',
    '/api/debug',
    '/api/auth/oauth2/register',
    '/api/auth/reg',
  ])('is not found at its address: %s [service-excluded]', async (path) => {
    for (const method of ['GET', 'POST']) {
      const headers = { authorization: `Bearer ${alice.token}` };
      expect((await send(network.baseUrl, method, path, { headers })).status).toBe(404);
    }
  });

  it('is not found with the credential of an operator either: no act of an operator [service-excluded]', async () => {
    const headers = { authorization: `Bearer ${readConfig(network.env).operatorToken}` };
    const reached = await Promise.all(
      actTable.map(async ({ route }) => {
        const [method = '', path = ''] = route.replaceAll(/:\w+/g, alice.actorId).split(' ');
        const { status } = await send(network.baseUrl, method, path, { headers });
        return status === 404 ? [] : [`${route}: ${status}`];
      }),
    );
    expect(actTable.length).toBeGreaterThan(50);
    expect(reached.flat()).toEqual([]);
  });

  it('is not in the document: accounts, moderation, operators, registration, debugging [service-excluded]', () => {
    const paths = Object.keys(documentOf(HttpModule, network.baseUrl).paths);
    expect(paths.filter((path) => /account|moderat|operator|regist|debug|admin/.test(path))).toEqual([]);
  });
});

describe('a view', () => {
  it('has the published members; inbox entries and relations have the published fields [reconcile-answer, relation-in-view, inbox-id, inbox-kind, inbox-source-actor, inbox-source, inbox-created-at, inbox-read-at, events-inbox]', async () => {
    const [ann, ben] = [await newPerson(), await newPerson()];
    await follow(ben, ann);
    const { body: view } = await ann.get('/api/reconcile');
    expect(Object.keys(view).sort()).toEqual(
      ['posts', 'ownPosts', 'relations', 'cursor', 'replace', 'inbox'].sort(),
    );
    const entry = {
      id: expect.stringMatching(/./),
      kind: 'follow',
      sourceActorId: ben.actorId,
      sourceId: ben.actorId,
      createdAt: expect.any(Number),
    };
    expect(view).toMatchObject({ cursor: expect.any(Number), replace: true, relations: [], ownPosts: [] });
    expect(view.inbox).toEqual([entry]);
    const { body: theirs } = await ben.get('/api/reconcile');
    expect(theirs.relations).toEqual([
      {
        kind: 'follow',
        actorId: ben.actorId,
        targetId: ann.actorId,
        targetActorId: ann.actorId,
        generation: '1',
      },
    ]);
    await ann.post('/api/inbox/read', { intentId: randomUUID(), ids: [view.inbox[0].id] });
    const { body: later } = await ann.get(`/api/reconcile?cursor=${view.cursor}`);
    expect(later.inbox).toEqual([{ ...view.inbox[0], readAt: expect.any(Number) }]);
    expectIsNow(view.inbox[0].createdAt);
    expectIsNow(later.inbox[0].readAt);
    expect(later.inbox[0].readAt).toBeGreaterThan(view.inbox[0].createdAt);
  });
});

describe('the actors whom an actor follows', () => {
  it('are not found, with the same answer as the actor, if that actor is unknown or unavailable [following-unknown]', async () => {
    const [suspended, blocker] = [await newPerson(), await newPerson()];
    await operatorOf(network).post('accounts/:id/suspend', { id: suspended.actorId, reason: 'a test' });
    await block(blocker, alice);
    for (const actorId of ['nobody', suspended.actorId, blocker.actorId]) {
      const actor = await alice.get(`/api/actors/${actorId}`);
      expect([actor.status, actor.body.error]).toEqual([404, 'not_found']);
      expect(statusAndBody(await alice.get(`/api/actors/${actorId}/following`))).toEqual(
        statusAndBody(actor),
      );
    }
  });

  it('need a non-empty actor id [following-actor-id]', async () => {
    const { status, body } = await alice.get('/api/actors//following');
    expect([status, body.error]).toEqual([404, 'not_found']);
    expect((await alice.get(`/api/actors/${bob.actorId}/following`)).status).toBe(200);
  });
});

describe('one’s own relations', () => {
  const MANY = 501;
  let database: Client;
  let schema: string;
  let fan: SignedIn;

  /** Rows in the read models only: 501 registrations would take too long. */
  beforeAll(async () => {
    fan = await newPerson();
    // The read model has the actor once their own read is answered.
    await fan.get('/api/relations');
    database = new Client({ connectionString: network.env['DATABASE_URL'] });
    await database.connect();
    const { rows } = await database.query<{ name: string }>(
      'SELECT schema_name AS name FROM recovery.publication JOIN recovery.incarnation USING (incarnation)',
    );
    schema = `"${rows[0]?.name}"`;
    await database.query(
      `INSERT INTO ${schema}.actor
       SELECT (jsonb_populate_record(actor, jsonb_build_object('actor_id', $2 || n, 'handle', NULL))).*
       FROM ${schema}.actor, generate_series(1, $3::int) n WHERE actor_id = $1`,
      [fan.actorId, `${fan.actorId}-`, MANY],
    );
    await database.query(
      `INSERT INTO ${schema}.relation (actor_id, kind, target_id, target_actor_id, generation, created_at, position)
       SELECT $1, 'follow', $2 || n, $2 || n, 1, n, n FROM generate_series(1, $3::int) n`,
      [fan.actorId, `${fan.actorId}-`, MANY],
    );
  });

  afterAll(async () => {
    await database?.query(`DELETE FROM ${schema}.relation WHERE actor_id = $1`, [fan.actorId]);
    await database?.query(`DELETE FROM ${schema}.actor WHERE starts_with(actor_id, $1)`, [`${fan.actorId}-`]);
    await database?.end();
  });

  it.each([
    ['', 50],
    ['limit=0', 1],
    ['limit=499', 499],
    ['limit=500', 500],
    ['limit=501', 500],
    ['limit=9007199254740993', 500],
    ['limit=2.5', 50],
  ])(
    'come in pages of 50 by default and of 500 at most: %j [relations-query, limit-relations-page]',
    async (query, rows) => {
      const { body } = await fan.get(`/api/relations?${query}`);
      expect([body.relations.length, typeof body.cursor]).toEqual([rows, 'string']);
    },
  );

  it('are cut into pages before hidden ones are left out [relations-short-page, relations-own]', async () => {
    const actorNumber = (n: number) => `${fan.actorId}-${n}`;
    const hidden = [MANY, MANY - 1].map(actorNumber);
    await database.query(`UPDATE ${schema}.actor SET state = 'suspended' WHERE actor_id = ANY ($1)`, [
      hidden,
    ]);
    const { body } = await fan.get('/api/relations?limit=5');
    expect(body.relations.map(({ targetId }: { targetId: string }) => targetId)).toEqual(
      [499, 498, 497].map(actorNumber),
    );
    const { body: next } = await fan.get(`/api/relations?limit=1&cursor=${body.cursor}`);
    expect(next.relations).toMatchObject([{ targetId: actorNumber(496) }]);
  });
});

describe('the scope offline_access', () => {
  it('brings a refresh token, which no other scope does [scopes]', async () => {
    const handle = `o_${randomBytes(5).toString('hex')}`;
    const person = { handle, displayName: 'Ola', email: `${handle}@example.org`, password };
    await operatorOf(network).post('accounts', person);
    const tokens = async (scope: string) =>
      authorize(network.baseUrl, { ...application, redirectUri, handle, password, scope });
    expect((await tokens('openid read')).refresh_token).toBeUndefined();
    expect((await tokens('openid read offline_access')).refresh_token).toEqual(expect.any(String));
  });
});
