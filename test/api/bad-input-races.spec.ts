import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { block, follow, unblock, unfollow } from '../support/social.js';
import {
  sendRequest,
  everyScope,
  mutations,
  requestOf,
  outcomeOf,
  createFixtures,
} from './support/operations.js';
import type { Operation, Request, Fixtures } from './support/operations.js';

const AT_ONCE = 4;

let network: SharedNetwork;
/** Two pairs, so that the same commands can run independently. */
let people: readonly (readonly [SignedIn, SignedIn])[];

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  const newPerson = () => personWithToken(network, application, everyScope.join(' '));
  people = [
    [await newPerson(), await newPerson()],
    [await newPerson(), await newPerson()],
  ];
});

/** Makes the operation change something. */
const preparations: Readonly<Record<string, (world: Fixtures) => Promise<unknown>>> = {
  createPost: ({ alice, bob }) => unblock(alice, bob),
  markInboxRead: ({ bob, own }) => createPost(bob, 'a reply', { parentId: own }),
  establishRelation: ({ alice, bob }) => unfollow(alice, bob),
  endRelation: ({ alice, bob }) => follow(alice, bob),
  blockActor: ({ alice, bob }) => unblock(alice, bob),
  unblockActor: ({ alice, bob }) => block(alice, bob),
};

/** A request of the first or second pair that changes something. */
async function effectiveRequest(operation: Operation, who = 0): Promise<[Fixtures, Request]> {
  const [alice, bob] = people[who] ?? [];
  if (!alice || !bob) throw new Error('nobody signed in');
  const world = await createFixtures(network.baseUrl, alice, bob);
  await preparations[operation.id]?.(world);
  const request = requestOf(operation, world);
  switch (operation.id) {
    case 'changeOwnProfile': {
      const { revision } = (await alice.get('/api/profile')).body.profile;
      return [world, withFields(request, { revision, bio: `after ${revision}` })];
    }
    case 'markInboxRead':
      return [world, withFields(request, { upTo: Date.now() + 60_000 })];
    default:
      return [world, request];
  }
}

const withFields = (request: Request, fields: object): Request => ({
  ...request,
  body: { ...(request.body as object), ...fields },
});

describe.each(mutations)('$id', (operation) => {
  it('runs once for identical requests, concurrent and repeated, and answers them alike', async () => {
    const [world, request] = await effectiveRequest(operation);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => sendRequest(world, request)));
    answers.push(await sendRequest(world, request));
    const [first] = answers;
    const seen = answers.map(({ status, body, headers }) => [
      status,
      body,
      headers.get('x-network-write-revision'),
    ]);
    expect(first?.status).toBe(200);
    expect(seen).toEqual(seen.map(() => seen[0]));
  });
});

/** The same intentId with another payload. */
const conflicting: Readonly<Record<string, (request: Request) => Request>> = {
  createPost: (request) => withFields(request, { text: 'something else' }),
  editPost: (request) => withFields(request, { text: 'something else' }),
  changeOwnProfile: (request) => withFields(request, { bio: 'something else' }),
  createReport: (request) => withFields(request, { reason: 'other' }),
  markInboxRead: (request) => withFields(request, { upTo: 2 ** 50 }),
  deletePost: (request) => ({ ...request, query: { ...request.query, revision: '2' } }),
};

describe.each(mutations.filter(({ id }) => id in conflicting))('$id with one intentId', (operation) => {
  it('runs one of two different concurrent requests, and always refuses the other', async () => {
    const [world, request] = await effectiveRequest(operation);
    const both = [request, conflicting[operation.id]?.(request) ?? request];
    const answers = await Promise.all(both.map((each) => sendRequest(world, each)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    const again = await Promise.all(both.map((each) => sendRequest(world, each)));
    expect(again.map((answer) => outcomeOf(answer).join(' ')).sort()).toEqual([
      '200 ',
      '409 intent_conflict',
    ]);
    expect(again.find(({ status }) => status === 200)?.body).toEqual(done[0]?.body);
  });

  it('is independent of another person’s use of that intentId', async () => {
    const [world, request] = await effectiveRequest(operation);
    expect(outcomeOf(await sendRequest(world, request))).toEqual([200, undefined]);
    const [elsewhere, other] = await effectiveRequest(operation, 1);
    const { intentId } = { ...request.query, ...(request.body as object) } as { intentId: string };
    const reused = request.body
      ? withFields(other, { intentId })
      : { ...other, query: { ...other.query, intentId } };
    expect(outcomeOf(await sendRequest(elsewhere, reused))).toEqual([200, undefined]);
  });
});
