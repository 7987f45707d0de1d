import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
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
import type { Operation, Fixtures } from './support/operations.js';

let network: SharedNetwork;
let world: Fixtures;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  const scopes = everyScope.join(' ');
  const [alice, bob] = [
    await personWithToken(network, application, scopes),
    await personWithToken(network, application, scopes),
  ];
  world = await createFixtures(network.baseUrl, alice, bob);
});

const withControlCharacter = 'a\u0000b';
const withLoneSurrogate = 'a\ud800b';
const tooLong = 'x'.repeat(20_000);
const nested = JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) as unknown;

/** Invalid for every text, name and identifier. */
const notText = [7, true, [], {}, ['x'], nested, withControlCharacter, withLoneSurrogate, tooLong];
const notIdentifiers = [null, ...notText, '', 'a b', 'é', 'a/b', 'y'.repeat(129)];
const notRevisions = [null, 0, -1, 1.5, 1e300, '1', true, [], {}, [1], nested];

interface Field {
  readonly code: string;
  /** `undefined`: the field is missing. */
  readonly wrong: readonly unknown[];
}

/** Invalid values by field name: a name means the same in every operation. */
const fields: Readonly<Record<string, Field>> = {
  intentId: { code: 'intent_required', wrong: [undefined, ...notIdentifiers] },
  audience: { code: 'unsupported_audience', wrong: [undefined, null, ...notText, '', 'Public', 'friends'] },
  parentId: { code: 'invalid_parent', wrong: notIdentifiers },
  revision: { code: 'revision_required', wrong: [undefined, ...notRevisions] },
  handle: { code: 'invalid_text', wrong: [...notText, '', 'ab', 'Ada', 'ädä', ' ada', 'x'.repeat(31)] },
  displayName: { code: 'invalid_text', wrong: [null, ...notText, '', ' ', '\n', 'x'.repeat(65)] },
  bio: { code: 'invalid_text', wrong: [null, ...notText, 'x'.repeat(501), 'a\u001bb'] },
  website: { code: 'invalid_website', wrong: [null, ...notText, 'x', '//a.example', 'javascript:alert(1)'] },
  postId: { code: 'invalid_report', wrong: [undefined, ...notIdentifiers] },
  actorId: { code: 'invalid_report', wrong: [undefined, ...notIdentifiers] },
  reason: { code: 'invalid_report', wrong: [undefined, null, ...notText, '', 'Spam', 'constructor'] },
  ids: {
    code: 'invalid_request',
    wrong: [undefined, null, 7, 'x', {}, [], [null], [7], [''], [withLoneSurrogate]],
  },
  upTo: { code: 'invalid_request', wrong: [undefined, null, -1, 1.5, 1e300, '1', true, [], {}] },
  intentIds: { code: 'invalid_request', wrong: [undefined, null, 7, 'x', {}, [], Array(201).fill('x')] },
};

const notPostTexts = [null, ...notText, 'a\u001bb', 'x'.repeat(2_001)];
const texts: Readonly<Record<string, Field>> = {
  createPost: { code: 'invalid_text', wrong: [undefined, ...notPostTexts, '', ' \n'] },
  editPost: { code: 'invalid_text', wrong: [undefined, ...notPostTexts, '', ' \n'] },
  createReport: { code: 'invalid_text', wrong: notPostTexts },
};

/** Fields that replace another one in a valid body. */
const alternatives: Readonly<Record<string, { readonly other: string; readonly [name: string]: unknown }>> = {
  markInboxRead: { other: 'upTo', ids: ['some'] },
  createReport: { other: 'actorId', postId: 'some' },
};

type Bodies = readonly (readonly [label: string, body: unknown])[];

const bodiesWith = (base: object, name: string, values: readonly unknown[]): Bodies =>
  values.map((value) => [`${name} ${labelOf(value)}`, { ...base, [name]: value }]);

const labelOf = (value: unknown): string => {
  const json = JSON.stringify(value) ?? 'missing';
  return json.length > 40 ? `${json.slice(0, 10)}… of ${json.length}` : json;
};

/** The bodies that are not refused with 400 and the code. */
async function unexpectedOutcomes(operation: Operation, bodies: Bodies, code: string): Promise<string[]> {
  const request = requestOf(operation, world);
  const answers = bodies.map(
    async ([label, body]) => [label, ...outcomeOf(await sendRequest(world, { ...request, body }))] as const,
  );
  const surprising = (await Promise.all(answers)).filter(
    ([, status, error]) => status !== 400 || error !== code,
  );
  return surprising.map(([label, status, error]) => `${label}: ${status} ${error}`);
}

const withBody = operations.filter(({ body }) => body);

describe.each(withBody)('the body of $id', (operation) => {
  const bodyOf = () => requestOf(operation, world).body as Readonly<Record<string, unknown>>;

  it('is refused with the code of its malformed field [posts-body]', async () => {
    const { other, ...more } = alternatives[operation.id] ?? {};
    const bases = [bodyOf(), ...(other === undefined ? [] : [{ ...bodyOf(), [other]: undefined, ...more }])];
    for (const base of bases)
      for (const name of Object.keys(base).filter((key) => key !== other || base[key] !== undefined)) {
        const field = name === 'text' ? texts[operation.id] : fields[name];
        if (!field) throw new Error(`nothing is known to be wrong for ${name}`);
        expect(await unexpectedOutcomes(operation, bodiesWith(base, name, field.wrong), field.code)).toEqual(
          [],
        );
      }
  });

  it('is refused with an unknown field, whatever its name [posts-body]', async () => {
    const names = ['extra', '', ' intentId', 'IntentId', 'toString', 'constructor', '__proto__', 'é', 'id'];
    const bodies = names.map((name) => {
      const valid = JSON.stringify(bodyOf()).slice(0, -1);
      return [name, `${valid},${JSON.stringify(name)}:"x"}`] as const;
    });
    expect(await unexpectedOutcomes(operation, bodies, 'unknown_or_immutable_field')).toEqual([]);
  });

  it('is refused unless it is one JSON object [endpoints-json]', async () => {
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    const bodies = ['', ' ', '{', '{}{}', "{'a':1}", '[]', 'null', '7', '"x"', 'undefined', 'NaN', deep];
    const labelled = bodies.map((body) => [labelOf(body), body] as const);
    expect(await unexpectedOutcomes(operation, labelled, 'invalid_json')).toEqual([]);
  });

  it('is refused if it names a field twice, with the same value too', async () => {
    const valid = JSON.stringify(bodyOf());
    const bodies = Object.entries(bodyOf()).flatMap(([name, value]) => {
      const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
      return [name, escaped].map(
        (spelling) => [spelling, `{"${spelling}":${JSON.stringify(value)},${valid.slice(1)}`] as const,
      );
    });
    expect(await unexpectedOutcomes(operation, bodies, 'invalid_json')).toEqual([]);
  });

  it('is refused above 64 KiB', async () => {
    const request = requestOf(operation, world);
    const body = `${JSON.stringify(request.body)}${' '.repeat(64 * 1024)}`;
    expect(outcomeOf(await sendRequest(world, { ...request, body }))).toEqual([413, 'domain_plan_too_large']);
  });

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'json' },
    { 'content-encoding': 'gzip' },
  ])(
    'is refused with another content type or encoding: %j [endpoints-json, posts-headers, service-json]',
    async (headers) => {
      const request = requestOf(operation, world);
      expect(outcomeOf(await sendRequest(world, { ...request, headers }))).toEqual([415, 'invalid_json']);
    },
  );

  it('is accepted if it is valid', async () => {
    const { baseUrl, alice, bob } = world;
    const request = requestOf(operation, await createFixtures(baseUrl, alice, bob));
    expect(outcomeOf(await sendRequest(world, request))).toEqual([200, undefined]);
  });
});

describe('a lookup of intents', () => {
  it('is refused if one of them is malformed', async () => {
    const operation = withBody.find(({ id }) => id === 'lookUpIntents');
    if (!operation) throw new Error('nothing looks intents up');
    const bodies = notIdentifiers.map((value) => [labelOf(value), { intentIds: ['one', value] }] as const);
    expect(await unexpectedOutcomes(operation, bodies, 'intent_required')).toEqual([]);
  });
});
