/**
 * Each case goes on where the one before has ended.
 * @sample first
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { block, removePost, follow, post, unblock, unfollow } from '../support/social.js';
import { until } from '../support/until.js';

const scopes = 'openid read post:create post:delete relation:write block:write';

let network: TestNetwork;
let application: Application;

beforeAll(async () => {
  network = await startNetwork({ FAN_OUT_THRESHOLD: '2' });
  application = await registerApplication(network);
});

afterAll(() => network?.stop());

const newPerson = (): Promise<SignedIn> => personWithToken(network, application, scopes);
const newPeople = (number: number): Promise<SignedIn[]> =>
  Promise.all(Array.from({ length: number }, newPerson));

const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const idsIn = ({ body }: Answer): string[] => body.posts.map(({ id }: { id: string }) => id);
const timelineOf = async (who: SignedIn) => idsIn(await who.get('/api/timeline'));

/** Has more followers than the fan-out threshold, or none. */
async function newAuthor(isLarge: boolean): Promise<SignedIn> {
  const [someone, ...crowd] = await newPeople(isLarge ? 4 : 1);
  if (!someone) throw new Error('nobody is there');
  for (const each of crowd) await follow(each, someone);
  return someone;
}

describe.each([
  ['few followers', false],
  ['many followers', true],
])('the timeline, of an author with %s', (_name, isLarge) => {
  let reader: SignedIn;
  let writer: SignedIn;

  beforeAll(async () => {
    [reader, writer] = await Promise.all([newPerson(), newAuthor(isLarge)]);
  });

  it('has own and followed posts and replies, newest first, until an unfollow', async () => {
    const first = await post(writer, 'before the follow');
    expect(await timelineOf(reader)).toEqual([]);
    await follow(reader, writer);
    expect(await timelineOf(reader)).toEqual([first]);
    const own = await post(reader, 'mine');
    const reply = await post(writer, 'a reply', { parentId: own });
    const answer = await reader.get('/api/timeline', {
      'x-network-min-revision':
        (await writer.say('the newest')).headers.get('x-network-write-revision') ?? '',
    });
    expect(idsIn(answer).slice(1)).toEqual([reply, own, first]);
    expect(answer.body).not.toHaveProperty('cursor');
    expect(answer.body.posts[1]).toMatchObject({ text: 'a reply', parentId: own, parentUnavailable: false });
    expect(answer.headers.get('x-network-actor-id')).toBe(reader.actorId);
    await unfollow(reader, writer);
    expect(await timelineOf(reader)).toEqual([own]);
    await follow(reader, writer);
    expect((await timelineOf(reader)).slice(1)).toEqual([reply, own, first]);
  });

  it('leaves out deleted, blocked and suspended posts', async () => {
    const shown = await post(writer, 'to be deleted');
    const { headers } = await reader.get('/api/timeline');
    expect(headers.get('x-network-revision')).toMatch(/^[0-9]+$/);
    expect(await timelineOf(reader)).toContain(shown);
    await removePost(writer, shown);
    const [newest] = await timelineOf(reader);
    expect(newest).not.toBe(shown);
    await operatorOf(network).post('accounts/:id/suspend', { id: writer.actorId, reason: 'test' });
    await until(async () => (await timelineOf(reader)).length === 1);
    await operatorOf(network).post('accounts/:id/reinstate', { id: writer.actorId, reason: 'test' });
    await until(async () => (await timelineOf(reader)).length === 4);
    await block(writer, reader);
    expect(await timelineOf(reader)).toHaveLength(1);
    await unblock(writer, reader);
    expect(await timelineOf(reader)).toHaveLength(1);
  });

  it('comes in pages that show each post once, even as new posts arrive', async () => {
    const [somebody, other] = await newPeople(2);
    if (!somebody || !other) throw new Error('nobody is there');
    await Promise.all([follow(somebody, other), follow(somebody, writer)]);
    const before = (await timelineOf(somebody)).length;
    for (let n = 0; n < 6; n++) await post(n % 2 ? other : writer, `number ${n}`);
    const whole = await timelineOf(somebody);
    expect(whole).toHaveLength(before + 6);
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const answer = await somebody.get(`/api/timeline?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsIn(answer));
      cursor = answer.body.cursor;
      await Promise.all([post(writer, 'meanwhile'), post(somebody, 'mine, meanwhile')]);
    }
    expect(seen).toEqual(whole);
  });
});

describe('a timeline', () => {
  it('has no gap when an author crosses the fan-out threshold', async () => {
    const [writer, ...readers] = await newPeople(5);
    if (!writer) throw new Error('nobody is there');
    const posted: string[] = [];
    for (const reader of readers) {
      await follow(reader, writer);
      posted.unshift(await post(writer, `with ${posted.length + 1} followers`));
    }
    for (const reader of readers) expect(await timelineOf(reader)).toEqual(posted);
  });

  it('shows all posts of a newly followed author who is writing', async () => {
    const [writer, ...readers] = await newPeople(5);
    if (!writer) throw new Error('nobody is there');
    const [posted] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, (_, n) => post(writer, `number ${n}`))),
      ...readers.map((reader) => follow(reader, writer)),
    ]);
    for (const reader of readers) expect((await timelineOf(reader)).sort()).toEqual(posted.toSorted());
  });

  it('needs a token with the scope read', async () => {
    const nobody = await send(network.baseUrl, 'GET', '/api/timeline');
    expect([nobody.status, nobody.body]).toEqual([401, errorBody('authentication_required')]);
    const writer = await personWithToken(network, application, 'openid post:create');
    const answer = await writer.get('/api/timeline');
    expect([answer.status, answer.body]).toEqual([403, errorBody('capability_required')]);
  });

  it.each([
    ['0', 1],
    ['-1', 1],
    ['2', 2],
    ['1000000000', 3],
    ['abc', 3],
    ['50.5', 3],
  ])('accepts the limit %s', async (limit, number) => {
    const someone = await newPerson();
    for (let n = 0; n < 3; n++) await post(someone, `number ${n}`);
    expect(idsIn(await someone.get(`/api/timeline?limit=${limit}`))).toHaveLength(number);
  });

  it('refuses a cursor of another list or reader', async () => {
    const [someone, other] = await newPeople(2);
    if (!someone || !other) throw new Error('nobody is there');
    for (let n = 0; n < 2; n++) await post(someone, `number ${n}`);
    const { cursor } = (await someone.get('/api/timeline?limit=1')).body;
    const elsewhere = await someone.get(`/api/inbox?cursor=${cursor}`);
    const foreign = await other.get(`/api/timeline?cursor=${cursor}`);
    const altered = await someone.get(`/api/timeline?cursor=${cursor.slice(0, -2)}AA`);
    const cut = await someone.get(`/api/timeline?cursor=${cursor.slice(0, 5)}`);
    const empty = await someone.get('/api/timeline?cursor=');
    for (const { status, body } of [elsewhere, foreign, altered, cut, empty])
      expect([status, body]).toEqual([400, errorBody('invalid_page_cursor')]);
  });
});
