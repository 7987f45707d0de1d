import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application, 'openid read post:create relation:write');
  bob = await personWithToken(network, application);
});

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const lookUp = (by: SignedIn, intentIds: unknown) => by.post('/api/intents/lookup', { intentIds });

describe('a lookup of intents', () => {
  it('returns kept and unknown intents in the requested order, with the headers of a read', async () => {
    const [posted, followed, never] = [randomUUID(), randomUUID(), randomUUID()];
    const { body } = await alice.say('kept', { intentId: posted });
    await alice.put(`/api/relations/follow/${bob.actorId}`, { intentId: followed });
    const answer = await lookUp(alice, [never, posted, followed, posted]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      intents: [
        { intentId: never, outcome: 'unknown' },
        { intentId: posted, outcome: 'kept', postId: body.post.id },
        { intentId: followed, outcome: 'kept' },
        { intentId: posted, outcome: 'kept', postId: body.post.id },
      ],
    });
    expect(answer.headers.get('x-network-actor-id')).toBe(alice.actorId);
    expect(answer.headers.get('x-network-revision')).toMatch(/^[0-9]+$/);
    expect(answer.headers.get('x-network-write-revision')).toBeNull();
  });

  it('does not reveal intents of other people', async () => {
    const intentId = randomUUID();
    await bob.say('of bob', { intentId });
    expect((await lookUp(alice, [intentId])).body.intents).toEqual([{ intentId, outcome: 'unknown' }]);
  });

  it('does not know a refused intent', async () => {
    const intentId = randomUUID();
    await alice.say(' ', { intentId });
    expect((await lookUp(alice, [intentId])).body.intents).toEqual([{ intentId, outcome: 'unknown' }]);
  });

  it.each<[string, unknown, string]>([
    ['no list', undefined, 'invalid_request'],
    ['a string in place of the list', 'abc', 'invalid_request'],
    ['an empty list', [], 'invalid_request'],
    ['more than 200', Array.from({ length: 201 }, () => 'x'), 'invalid_request'],
    ['a malformed intentId', ['fine', 'not fine'], 'intent_required'],
    ['an intentId of another type', [7], 'intent_required'],
    ['an intentId of null', [null], 'intent_required'],
  ])('refuses %s', async (_what, intentIds, code) => {
    const answer = await lookUp(alice, intentIds);
    expect([answer.status, answer.body]).toEqual([400, errorBody(code)]);
  });

  it('accepts 200 intents', async () => {
    const intentIds = Array.from({ length: 200 }, (_, index) => `intent-${index}`);
    expect((await lookUp(alice, intentIds)).body.intents).toHaveLength(200);
  });

  it('refuses unknown fields, malformed bodies and other methods', async () => {
    const extra = await alice.post('/api/intents/lookup', { intentIds: ['a'], intentId: 'b' });
    expect([extra.status, extra.body]).toEqual([400, errorBody('unknown_or_immutable_field')]);
    const half = await alice.post('/api/intents/lookup', '{"intentIds":');
    expect([half.status, half.body]).toEqual([400, errorBody('invalid_json')]);
    const other = await alice.get('/api/intents/lookup');
    expect([other.status, other.body]).toEqual([405, errorBody('invalid_request')]);
  });

  it('needs a token with the scope read', async () => {
    const body = { intentIds: ['a'] };
    const anonymous = await send(network.baseUrl, 'POST', '/api/intents/lookup', { body });
    expect([anonymous.status, anonymous.body]).toEqual([401, errorBody('authentication_required')]);
    const writer = await personWithToken(network, await registerApplication(network), 'openid post:create');
    const answer = await lookUp(writer, ['a']);
    expect([answer.status, answer.body]).toEqual([403, errorBody('capability_required')]);
  });
});
