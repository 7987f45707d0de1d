import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, SignedIn } from '../support/api.js';
import { createPost } from '../support/posts.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { follow } from '../support/social.js';
import {
  sendRequest,
  everyScope,
  operations,
  requestOf,
  outcomeOf,
  createFixtures,
} from './support/operations.js';
import type { Operation, Fixtures } from './support/operations.js';

const ROWS = 3;

let network: SharedNetwork;
let world: Fixtures;
/** The same fixtures with Alice and Bob exchanged. */
let swapped: Fixtures;

/** Alice and Bob have three rows in every list. */
beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  const scopes = everyScope.join(' ');
  const people: SignedIn[] = [];
  for (let n = 0; n <= ROWS; n++) people.push(await personWithToken(network, application, scopes));
  const [alice, bob] = people;
  if (!alice || !bob) throw new Error('nobody signed in');
  for (const who of people) for (const whom of people) if (who !== whom) await follow(who, whom);
  world = await createFixtures(network.baseUrl, alice, bob);
  swapped = { ...world, alice: bob, bob: alice, theirs: world.own, own: world.theirs };
  for (const who of [alice, bob])
    for (let n = 0; n < ROWS; n++)
      for (const parentId of [world.own, world.theirs]) await createPost(who, `number ${n}`, { parentId });
});

const paged = operations.filter(({ pages }) => pages);
const read = (operation: Operation, more: string, by = world) =>
  sendRequest(by, requestOf(operation, by), more);
const rowsIn = ({ pages = '' }: Operation, { body }: Answer): number => body[pages].length;

/** Cursor of the page after the first row. */
async function cursorOf(operation: Operation, by = world): Promise<string> {
  const { body, headers } = await read(operation, 'limit=1', by);
  return body.cursor ?? /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1] ?? 'none';
}

describe.each(paged)('a page of $id', (operation) => {
  it('has the requested number of rows, at least one', async () => {
    for (const [limit, rows] of [
      ['0', 1],
      ['-1', 1],
      ['-9007199254740991', 1],
      ['1', 1],
      ['01', 1],
      ['2', 2],
    ] as const)
      expect([limit, rowsIn(operation, await read(operation, `limit=${limit}`))]).toEqual([limit, rows]);
  });

  it('has the default number of rows for a limit that is no integer or too large [relations-query]', async () => {
    const all = rowsIn(operation, await read(operation, ''));
    expect(all).toBeGreaterThanOrEqual(ROWS);
    const odd = [
      'abc',
      '50.5',
      '',
      '1e0',
      '1e9',
      '0x1',
      '+1',
      '%201',
      '%D9%A1',
      '9'.repeat(20),
      'null',
      '1&limit=1',
    ];
    for (const limit of [...odd, '1000000000', '9007199254740991'])
      expect([limit, rowsIn(operation, await read(operation, `limit=${limit}`))]).toEqual([limit, all]);
  });

  it('is refused for a cursor that was cut, altered or invented [error-page-cursor, relations-query, following-query]', async () => {
    const cursor = await cursorOf(operation);
    expect(outcomeOf(await read(operation, `cursor=${cursor}`))).toEqual([200, undefined]);
    const other = (at: number) => (cursor.at(at) === 'A' ? 'B' : 'A');
    const cut = [cursor.slice(0, -1), cursor.slice(0, -2), cursor.slice(1), cursor.slice(0, 10)];
    const altered = [other(0) + cursor.slice(1), cursor.slice(0, -2) + other(-2) + cursor.slice(-1)];
    const longer = [
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}%3D%3D`,
      `%20${cursor}`,
      `${cursor}%00`,
      cursor + cursor,
    ];
    const madeUp = ['', 'x', '0', '1', '-1', '%00', '%F0%9F%98%80', 'null', 'x'.repeat(10_000)];
    for (const wrong of [
      ...cut,
      ...altered,
      ...longer,
      ...madeUp,
      `${cursor}&cursor=${cursor}`,
      `&cursor=${cursor}`,
    ])
      expect([wrong, ...outcomeOf(await read(operation, `cursor=${wrong}`))]).toEqual([
        wrong,
        400,
        'invalid_page_cursor',
      ]);
  });

  it('is refused for a cursor of another list', async () => {
    for (const another of paged.filter(({ id }) => id !== operation.id)) {
      const cursor = await cursorOf(another);
      const answer = await read(operation, `cursor=${cursor}`);
      expect([another.id, ...outcomeOf(answer)]).toEqual([another.id, 400, 'invalid_page_cursor']);
    }
  });

  it('is refused for a cursor of another person', async () => {
    const wrong = `cursor=${await cursorOf(operation, { ...world, alice: swapped.alice })}`;
    expect(outcomeOf(await read(operation, wrong))).toEqual([400, 'invalid_page_cursor']);
  });
});

describe.each(paged.filter(({ isPublic }) => isPublic))('a page of $id', (operation) => {
  it('is refused for a cursor of another caller or of another subject', async () => {
    const cursor = await cursorOf(operation);
    const anonymous = { ...requestOf(operation, world), by: undefined };
    expect(outcomeOf(await sendRequest(world, anonymous, `cursor=${cursor}`))).toEqual([
      400,
      'invalid_page_cursor',
    ]);
    const elsewhere = { ...swapped, alice: world.alice };
    expect(outcomeOf(await read(operation, `cursor=${cursor}`, elsewhere))).toEqual([
      400,
      'invalid_page_cursor',
    ]);
  });
});

describe.each(operations.filter(({ id }) => ['reconcile', 'listEvents'].includes(id)))('$id', (operation) => {
  it.each(['', 'x', '-1', '1.5', '1e3', '0x1', '%201', '%00', '%D9%A1', '9007199254740993', '1&cursor=1'])(
    'refuses the cursor %j',
    async (cursor) => {
      expect(outcomeOf(await read(operation, `cursor=${cursor}`))).toEqual([400, 'invalid_cursor']);
    },
  );

  it('refuses the cursor of a page', async () => {
    for (const another of paged)
      expect(outcomeOf(await read(operation, `cursor=${await cursorOf(another)}`))).toEqual([
        400,
        'invalid_cursor',
      ]);
  });

  it('asks the client to replace its copy if the cursor is ahead of the log', async () => {
    const { status, body } = await read(operation, 'cursor=9007199254740991');
    expect([status, body.replace]).toEqual([200, true]);
  });
});
