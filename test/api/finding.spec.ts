import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { block, follow, post, unblock } from '../support/social.js';
import { until } from '../support/until.js';

interface Person extends SignedIn {
  readonly handle: string;
}

let network: SharedNetwork;
let application: Application;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [alice, bob] = [await newPerson(), await newPerson()];
});

/** The read models show them, since they show the person's own profile. */
async function newPerson(
  scope = 'openid read profile:write post:create relation:write block:write',
): Promise<Person> {
  const person = await personWithToken(network, application, scope);
  const { handle } = (await person.get('/api/profile')).body.profile;
  return { ...person, handle };
}

const newHandle = () => `h_${randomBytes(6).toString('hex')}`;

/** `by` undefined: anonymously. */
const ask = (query: string, by?: SignedIn): Promise<Answer> =>
  by ? by.get(`/api/actors?${query}`) : send(network.baseUrl, 'GET', `/api/actors?${query}`);

/** The ids of the found actors. */
async function found(query: string, by?: SignedIn): Promise<readonly string[]> {
  const { status, body } = await ask(query, by);
  expect(status).toBe(200);
  return body.actors.map(({ actorId }: { actorId: string }) => actorId);
}

const byHandle = ({ handle }: Pick<Person, 'handle'>, by?: SignedIn) => found(`handle=${handle}`, by);
const byId = (actor: SignedIn, by?: SignedIn) => found(`ids=${actor.actorId}`, by);

async function showHandle(person: Person, handle: string | null): Promise<void> {
  const { revision } = (await person.get('/api/profile')).body.profile;
  const answer = await person.patch('/api/profile', { intentId: randomUUID(), revision, handle });
  expect(answer.status).toBe(200);
}

const commonHeadersOf = ({ headers }: Answer) =>
  ['revision', 'incarnation', 'witness-epoch', 'actor-id', 'app-id', 'grant-id', 'scopes'].filter(
    (name) => headers.get(`x-network-${name}`) !== null,
  );

describe('a search for actors', () => {
  it('finds an actor by handle and by id as a read of that actor shows them, with and without a token', async () => {
    const [ada, fan] = [await newPerson(), await newPerson()];
    await follow(fan, ada);
    await post(ada, 'counted');
    const { actor } = (await bob.get(`/api/actors/${ada.actorId}`)).body;
    expect(actor).toMatchObject({ handle: ada.handle, followers: 1, following: 0, posts: 1 });
    for (const query of [`handle=${ada.handle}`, `ids=${ada.actorId}`]) {
      const anonymous = await ask(query);
      expect([anonymous.status, anonymous.body]).toEqual([200, { actors: [actor] }]);
      expect(commonHeadersOf(anonymous)).toEqual(['revision', 'incarnation', 'witness-epoch']);
      const signedIn = await ask(query, bob);
      expect(signedIn.body).toEqual(anonymous.body);
      expect(commonHeadersOf(signedIn)).toHaveLength(7);
      expect(signedIn.headers.get('x-network-actor-id')).toBe(bob.actorId);
    }
  });

  it('answers in the order of the ids, each once, without those that nobody has', async () => {
    const ids = [bob, alice].map(({ actorId }) => actorId);
    const others = ['nobody', '', 'no%20id', 'x'.repeat(65), '%00', '%F0%9F%98%80'];
    const mixed = [others[0], ids[0], ...others, ids[1], ids[0], ids[1]].join(',');
    for (const by of [undefined, alice]) expect(await found(`ids=${mixed}`, by)).toEqual(ids);
    expect(await found(`ids=${mixed.replaceAll(',', '%2C')}`)).toEqual(ids);
    expect(await found(`ids=${others.join(',')}`)).toEqual([]);
  });

  it('finds nobody by a handle that nobody has or can have', async () => {
    const { handle } = alice;
    const others = ['nobody_has_this', '', 'ab', `@${handle}`, handle.slice(0, -1), `${handle}%20`, '%00'];
    for (const other of [...others, handle.toUpperCase(), `${handle},${bob.handle}`, 'x'.repeat(2_000)])
      expect([other, await found(`handle=${other}`, bob)]).toEqual([other, []]);
  });

  it('takes 50 ids, and ignores unknown parameters', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => (n === 49 ? alice.actorId : `none${n}`)).join(',');
    expect(await found(`ids=${ids}&limit=1&cursor=x`)).toEqual([alice.actorId]);
  });

  it.each([
    ['neither parameter', 'handles=ada'],
    ['both', 'handle=ada&ids=a'],
    ['both, one empty', 'handle=ada&ids='],
    ['the handle twice', 'handle=ada&handle=ada'],
    ['the ids twice', 'ids=a&ids=b'],
    ['no ids', 'ids='],
    ['51 ids', `ids=${Array(51).fill('a').join(',')}`],
  ])('is refused with %s', async (_what, query) => {
    for (const by of [undefined, bob]) {
      const { status, body } = await ask(query, by);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toMatch(/either handle, or 1 to 50 ids/);
    }
  });

  it('needs the scope read if a token is sent', async () => {
    const unscoped = await personWithToken(network, application, 'openid post:create');
    const refused = await ask(`handle=${alice.handle}`, unscoped);
    expect([refused.status, refused.body.error]).toEqual([403, 'capability_required']);
    const headers = { authorization: 'Bearer dead' };
    const dead = await send(network.baseUrl, 'GET', `/api/actors?ids=${alice.actorId}`, { headers });
    expect([dead.status, dead.body.error]).toEqual([401, 'invalid_token']);
  });
});

describe('a handle', () => {
  it('that its person hides finds nobody, until the person shows it again', async () => {
    const person = await newPerson();
    await showHandle(person, null);
    for (const by of [undefined, bob, person]) expect(await byHandle(person, by)).toEqual([]);
    expect((await ask(`ids=${person.actorId}`, bob)).body.actors).toMatchObject([{ handle: null }]);
    await showHandle(person, person.handle);
    for (const by of [undefined, bob, person]) expect(await byHandle(person, by)).toEqual([person.actorId]);
  });

  it('that its person has replaced finds nobody, and then its new holder', async () => {
    const [person, next, handle] = [await newPerson(), await newPerson(), newHandle()];
    await showHandle(person, handle);
    // The own write at once, whatever the read models show to others.
    expect(await byHandle({ handle }, person)).toEqual([person.actorId]);
    for (const by of [undefined, bob, person]) expect(await byHandle(person, by)).toEqual([]);
    await showHandle(next, person.handle);
    expect(await byHandle(person, bob)).toEqual([next.actorId]);
  });
});

describe('an actor is not found', () => {
  it('by either side of a block, until it ends', async () => {
    const [ada, eve] = [await newPerson(), await newPerson()];
    await block(ada, eve);
    for (const [by, other] of [
      [ada, eve],
      [eve, ada],
    ] as const) {
      expect(await byHandle(other, by)).toEqual([]);
      expect(await found(`ids=${other.actorId},${by.actorId},${bob.actorId}`, by)).toEqual([
        by.actorId,
        bob.actorId,
      ]);
      for (const anybody of [undefined, bob]) {
        expect(await byHandle(other, anybody)).toEqual([other.actorId]);
        expect(await byId(other, anybody)).toEqual([other.actorId]);
      }
    }
    await unblock(ada, eve);
    expect(await byHandle(eve, ada)).toEqual([eve.actorId]);
    expect(await byId(ada, eve)).toEqual([ada.actorId]);
  });

  it('while suspended', async () => {
    const ada = await newPerson();
    const change = (act: 'suspend' | 'reinstate') =>
      operatorOf(network).post(`accounts/:id/${act}`, { id: ada.actorId, reason: 'a test' });
    await change('suspend');
    for (const by of [undefined, bob])
      expect([await byHandle(ada, by), await byId(ada, by)]).toEqual([[], []]);
    await change('reinstate');
    await until(async () => (await byId(ada, bob)).length > 0);
    expect(await byHandle(ada, bob)).toEqual([ada.actorId]);
  });

  it('once erased, and the handle then finds its new holder', async () => {
    const [ada, next] = [await newPerson(), await newPerson()];
    await operatorOf(network).post('accounts/:id/erase', { id: ada.actorId, delayMs: 0, reason: 'a test' });
    for (const by of [undefined, bob])
      expect([await byHandle(ada, by), await byId(ada, by)]).toEqual([[], []]);
    await showHandle(next, ada.handle);
    expect(await found(`ids=${ada.actorId},${next.actorId}`, bob)).toEqual([next.actorId]);
    expect(await byHandle(ada, bob)).toEqual([next.actorId]);
  });
});
