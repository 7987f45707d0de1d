import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let application: Application;
let alice: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  alice = await newPerson();
});

const newPerson = (scope = 'openid read profile:write') => personWithToken(network, application, scope);

const change = (by: SignedIn, fields: object, intentId: string = randomUUID()) =>
  by.patch('/api/profile', { intentId, ...fields });

const profileOf = async (by: SignedIn) => (await by.get('/api/profile')).body.profile;

const changeNow = async (by: SignedIn, fields: object) =>
  change(by, { revision: (await profileOf(by)).revision, ...fields });

const outcomeOf = ({ status, body }: Answer) => [status, body.error];

const newHandle = () => `h_${randomBytes(6).toString('hex')}`;

/** Tells whether the handle is free, by taking it for a new person. */
async function isFree(handle: string): Promise<boolean> {
  const answer = outcomeOf(await changeNow(await newPerson(), { handle })).join(' ');
  expect(['200 ', '409 effect_mismatch']).toContain(answer);
  return answer === '200 ';
}

describe('a profile', () => {
  it('changes in the named fields, visibly to everybody [own-profile-display-name, own-profile-bio, own-profile-website, own-profile-revision]', async () => {
    const before = await profileOf(alice);
    const fields = { displayName: 'Alice 🌻', bio: 'one\ntwo', website: 'https://alice.example/' };
    const answer = await change(alice, { revision: before.revision, ...fields });
    const after = { ...before, ...fields, revision: before.revision + 1 };
    expect([answer.status, answer.body]).toEqual([200, { profile: after }]);
    expect(answer.headers.get('x-network-write-revision')).toMatch(/^[1-9][0-9]*$/);
    expect(await profileOf(alice)).toEqual(after);
    const { body } = await send(network.baseUrl, 'GET', `/api/actors/${alice.actorId}`);
    expect(body.actor).toMatchObject({ ...fields, handle: before.handle });
  });

  it.each([
    ['in composed Unicode form', 'Zoe\u0308', 'Zo\u00eb'],
    ['without surrounding spaces', '  می‌خواهم \n', 'می‌خواهم'],
    ['otherwise unchanged', '👩‍🚀 𝒜', '👩‍🚀 𝒜'],
  ])('has its texts %s', async (_how, sent, kept) => {
    const { body } = await changeNow(alice, { displayName: sent, bio: sent });
    expect(body.profile).toMatchObject({ displayName: kept, bio: kept });
    expect(await profileOf(alice)).toEqual(body.profile);
  });

  it('does not change if the request changes nothing', async () => {
    const before = await profileOf(alice);
    const { bio, handle } = before;
    for (const fields of [{}, { bio, handle }])
      expect((await changeNow(alice, fields)).body).toEqual({ profile: before });
  });

  it('is returned to a repeated intent as that intent left it', async () => {
    const [intentId, { revision }] = [randomUUID(), await profileOf(alice)];
    const first = await change(alice, { revision, bio: 'first' }, intentId);
    await changeNow(alice, { bio: 'second' });
    const repeated = await change(alice, { revision, bio: 'first' }, intentId);
    expect([repeated.status, repeated.body]).toEqual([200, first.body]);
    expect(await profileOf(alice)).toMatchObject({ bio: 'second', revision: revision + 2 });
    expect(outcomeOf(await change(alice, { revision, bio: 'other' }, intentId))).toEqual([
      409,
      'intent_conflict',
    ]);
  });

  it('changes once for identical concurrent requests, which are answered alike', async () => {
    const [intentId, { revision }] = [randomUUID(), await profileOf(alice)];
    const fields = { revision, handle: newHandle(), bio: 'at once' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => change(alice, fields, intentId)));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
    expect(await profileOf(alice)).toMatchObject({ handle: fields.handle, revision: revision + 1 });
  });

  it('is changed by one of several concurrent requests from the same revision', async () => {
    const { revision } = await profileOf(alice);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => change(alice, { revision, bio: `mine ${n}` })),
    );
    expect(answers.map((answer) => outcomeOf(answer).join(' ')).sort()).toEqual([
      '200 ',
      ...Array.from({ length: 4 }, () => '409 revision_conflict'),
    ]);
  });
});

describe('a change of a profile is refused', () => {
  it.each([
    ['without an intent', { intentId: undefined }, 'intent_required'],
    ['with an empty intent', { intentId: '' }, 'intent_required'],
    ['without a revision', { revision: undefined }, 'revision_required'],
    ['with a revision in quotes', { revision: '1' }, 'revision_required'],
    ['with a fractional revision', { revision: 1.5 }, 'revision_required'],
    ['with revision 0', { revision: 0 }, 'revision_required'],
    ['with capitals in the handle', { handle: 'Alice' }, 'invalid_text'],
    ['with an empty handle', { handle: '' }, 'invalid_text'],
    ['with a number for a handle', { handle: 7 }, 'invalid_text'],
    ['with a blank display name', { displayName: ' ' }, 'invalid_text'],
    ['with a display name that does not show', { displayName: '\u3164' }, 'invalid_text'],
    ['with an unassigned character in the display name', { displayName: 'Ada\u0378' }, 'invalid_text'],
    ['with a display name of null', { displayName: null }, 'invalid_text'],
    ['with a long bio', { bio: 'x'.repeat(501) }, 'invalid_text'],
    ['with a lone surrogate', { bio: '\uD83E' }, 'invalid_text'],
    ['with a list for a bio', { bio: ['x'] }, 'invalid_text'],
    ['with a script for a website', { website: 'javascript:alert(1)' }, 'invalid_website'],
    ['with a password in the website', { website: 'https://a:b@c.example' }, 'invalid_website'],
    ['with a website of null', { website: null }, 'invalid_website'],
    ['with another actor', { actorId: 'x' }, 'unknown_or_immutable_field'],
    ['with an e-mail address', { email: 'a@b.example' }, 'unknown_or_immutable_field'],
  ])('%s [version-revisions]', async (_what, fields, code) => {
    const before = await profileOf(alice);
    const body = { intentId: randomUUID(), revision: before.revision, ...fields };
    expect(outcomeOf(await alice.patch('/api/profile', body))).toEqual([400, code]);
    expect(await profileOf(alice)).toEqual(before);
  });

  it('from a past or future revision [version-revisions]', async () => {
    const { revision } = await profileOf(alice);
    for (const other of [revision + 1, revision - 1, Number.MAX_SAFE_INTEGER])
      expect(outcomeOf(await change(alice, { revision: other, bio: 'x' }))).toEqual([
        409,
        'revision_conflict',
      ]);
  });

  it('without a token, without the scope, and without JSON', async () => {
    const body = { intentId: 'i', revision: 1 };
    expect(outcomeOf(await send(network.baseUrl, 'PATCH', '/api/profile', { body }))).toEqual([
      401,
      'authentication_required',
    ]);
    expect(outcomeOf(await change(await newPerson('openid read'), { revision: 1 }))).toEqual([
      403,
      'capability_required',
    ]);
    expect(outcomeOf(await alice.patch('/api/profile', '[]'))).toEqual([400, 'invalid_json']);
  });
});

describe('a handle', () => {
  it('is free for others once its holder takes another, and not before', async () => {
    const [person, handle] = [await newPerson(), newHandle()];
    const { handle: registered } = await profileOf(person);
    expect((await changeNow(person, { handle })).body.profile.handle).toBe(handle);
    const other = await newPerson();
    expect(outcomeOf(await changeNow(other, { handle }))).toEqual([409, 'effect_mismatch']);
    expect((await changeNow(other, { handle: registered })).status).toBe(200);
    expect((await changeNow(other, { handle: newHandle() })).status).toBe(200);
    expect((await changeNow(person, { handle: registered })).body.profile.handle).toBe(registered);
  });

  it('that its holder hides stays theirs until they take another [own-profile-handle]', async () => {
    const person = await newPerson();
    const { handle } = await profileOf(person);
    expect((await changeNow(person, { handle: null })).body.profile.handle).toBeNull();
    const { body } = await send(network.baseUrl, 'GET', `/api/actors/${person.actorId}`);
    expect(body.actor.handle).toBeNull();
    expect(await isFree(handle)).toBe(false);
    await changeNow(person, { handle: newHandle() });
    expect(await isFree(handle)).toBe(true);
  });

  it('that is reserved is refused like a taken one', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const { handle } = await profileOf(other);
    const [taken, reserved] = [
      await changeNow(person, { handle }),
      await changeNow(person, { handle: 'support' }),
    ];
    expect([reserved.status, reserved.body]).toEqual([taken.status, taken.body]);
  });

  it('goes to one of two people who ask for it concurrently, and the other can take another', async () => {
    const people = [await newPerson(), await newPerson()];
    for (let round = 0; round < 20; round++) {
      const handle = newHandle();
      const answers = await Promise.all(people.map((person) => changeNow(person, { handle })));
      expect(answers.map((answer) => outcomeOf(answer).join(' ')).sort()).toEqual([
        '200 ',
        '409 effect_mismatch',
      ]);
      const loser = people[answers.findIndex(({ status }) => status !== 200)];
      if (!loser) throw new Error('nobody lost');
      const other = newHandle();
      expect((await changeNow(loser, { handle: other })).body.profile.handle).toBe(other);
    }
  });

  it('of a person who asks for two concurrently is one of them, and all others are free', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await newPerson();
      const { handle: old, revision } = await profileOf(person);
      const wanted = [newHandle(), newHandle()];
      const answers = await Promise.all(wanted.map((handle) => change(person, { revision, handle })));
      expect(answers.map((answer) => outcomeOf(answer).join(' ')).sort()).toEqual([
        '200 ',
        '409 revision_conflict',
      ]);
      const { handle } = await profileOf(person);
      expect(wanted).toContain(handle);
      expect(await isFree(handle)).toBe(false);
      for (const other of [old, ...wanted.filter((each) => each !== handle)])
        expect(await isFree(other)).toBe(true);
    }
  });

  it('stays with a person who asks for it several times concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const [{ revision }, handle] = [await profileOf(alice), newHandle()];
      const asked = ['a', 'b', 'c'].map((bio) => change(alice, { revision, handle, bio: bio + round }));
      expect((await Promise.all(asked)).filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await isFree(handle)).toBe(false);
    }
  });
});
