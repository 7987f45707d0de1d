import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

const scope = 'openid read relation:write block:write';
/** More than several pages of the smallest size. */
const HIDDEN = 60;

let network: SharedNetwork;
let application: Application;
let ada: SignedIn;
let eve: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  [ada, eve] = [await newPerson(), await newPerson()];
});

const newPerson = () => personWithToken(network, application, scope);
const newActor = async (): Promise<string> => {
  const handle = `q_${randomUUID().slice(0, 8)}`;
  const person = { handle, displayName: 'Somebody', email: `${handle}@example.org`, password: randomUUID() };
  return (await operatorOf(network).post('accounts', person)).actorId;
};
/** Four at a time: each costs a password hash. */
const newActors = async (count: number): Promise<string[]> => {
  const made: string[] = [];
  const make = async () => {
    while (made.length < count) made.push(await newActor());
  };
  await Promise.all(Array.from({ length: Math.min(count, 4) }, make));
  return made.slice(0, count);
};
const errorBody = (code: string) => ({ error: code, message: expect.any(String) });
const act = (who: SignedIn, kind: 'relations/follow' | 'blocks', actorId: string) =>
  who.put(`/api/${kind}/${actorId}`, { intentId: randomUUID() });
const followAll = async (who: SignedIn, actorIds: readonly string[]) => {
  for (const actorId of actorIds) await act(who, 'relations/follow', actorId);
};
const idsIn = ({ body }: Answer): string[] =>
  (body.actors ?? body.relations).map(({ actorId, targetId }: Record<string, string>) => targetId ?? actorId);

async function pagesOf(who: SignedIn, path: string, limit: number): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let cursor = ''; ;) {
    const page = await who.get(`${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(page.status).toBe(200);
    pages.push(page);
    if (page.body.cursor === undefined) return pages;
    cursor = page.body.cursor;
  }
}

describe('the lists of followed actors and of followers', () => {
  it('are public, newest first [actor-summary, following-answer, summary-following, following-order]', async () => {
    const actors = await newActors(3);
    await followAll(ada, actors);
    const { status, body } = await send(network.baseUrl, 'GET', `/api/actors/${ada.actorId}/following`);
    expect(status).toBe(200);
    expect(body).toEqual({
      actors: actors.toReversed().map((actorId) => ({
        actorId,
        handle: expect.stringMatching(/^q_/),
        displayName: 'Somebody',
      })),
    });
    const { body: followers } = await eve.get(`/api/actors/${actors[0]}/followers`);
    expect(followers.actors).toMatchObject([{ actorId: ada.actorId }]);
  });

  it('come in pages that show each actor once, without actors followed since the first page [following-later, following-answer, relations-own, relations-answer]', async () => {
    const fan = await newPerson();
    const actors = await newActors(7);
    await followAll(fan, actors);
    for (const path of [`/api/actors/${fan.actorId}/following`, '/api/relations']) {
      const first = await fan.get(`${path}?limit=3`);
      expect(idsIn(first)).toEqual(actors.slice(4).toReversed());
      const [later] = await newActors(1);
      await act(fan, 'relations/follow', later ?? '');
      const second = await fan.get(`${path}?limit=100&cursor=${first.body.cursor}`);
      expect([idsIn(second), second.body.cursor]).toEqual([actors.slice(0, 4).toReversed(), undefined]);
      await fan.delete(`/api/relations/follow/${later}?intentId=${randomUUID()}`);
    }
  });

  it('leave out actors whom the reader may not see, and go on past a page full of them [following-short-page]', async () => {
    const star = await newPerson();
    const [[last], hidden] = [await newActors(1), await newActors(HIDDEN)];
    await followAll(star, [last ?? '', ...hidden]);
    for (const actorId of hidden) await act(eve, 'blocks', actorId);
    const path = `/api/actors/${star.actorId}/following`;
    const page = await eve.get(`${path}?limit=5`);
    expect([idsIn(page), page.body.cursor]).toEqual([[last], undefined]);
    const everybody = (await pagesOf(star, path, 20)).map(idsIn);
    expect(everybody.map(({ length }) => length)).toEqual([20, 20, 20, 1]);
    expect(everybody.flat()).toEqual([...hidden.toReversed(), last]);

    const [newest] = await newActors(1);
    await act(star, 'relations/follow', newest ?? '');
    const short = await eve.get(`${path}?limit=5`);
    expect([idsIn(short), short.body.cursor]).toEqual([[newest], expect.any(String)]);
    const rest = await eve.get(`${path}?limit=5&cursor=${short.body.cursor}`);
    expect([idsIn(rest), rest.body.cursor]).toEqual([[last], undefined]);
  });

  it.each(['following', 'followers'])(
    'are not found for an unknown, suspended or blocking actor: %s [following-unknown]',
    async (list) => {
      const [blocker, suspended] = [await newPerson(), await newActor()];
      await act(blocker, 'blocks', eve.actorId);
      await operatorOf(network).post('accounts/:id/suspend', { id: suspended, reason: 'a test' });
      for (const actorId of ['nobody', '%00', suspended, blocker.actorId]) {
        const { status, body } = await eve.get(`/api/actors/${actorId}/${list}`);
        expect([status, body]).toEqual([404, errorBody('not_found')]);
      }
      // Other people see a new account once the worker has applied it.
      await until(async () => (await ada.get(`/api/actors/${blocker.actorId}/${list}`)).status === 200);
    },
  );

  it('need the scope read if a token is sent', async () => {
    const unscoped = await personWithToken(network, application, 'openid relation:write');
    const { status, body } = await unscoped.get(`/api/actors/${ada.actorId}/following`);
    expect([status, body]).toEqual([403, errorBody('capability_required')]);
  });
});

describe('a page', () => {
  let busy: SignedIn;
  const rowsOf = async (path: string) => idsIn(await busy.get(path)).length;

  beforeAll(async () => {
    busy = await newPerson();
    await followAll(busy, await newActors(105));
  });

  it.each([
    ['', 50, 50],
    ['?limit=0', 1, 1],
    ['?limit=-1', 1, 1],
    ['?limit=1', 1, 1],
    ['?limit=100', 100, 100],
    ['?limit=101', 100, 101],
    ['?limit=1000000000', 100, 105],
    ['?limit=abc', 50, 50],
    ['?limit=50.5', 50, 50],
    ['?limit=', 50, 50],
    ['?limit=9007199254740993', 100, 105],
  ])(
    'has the requested number of rows, within bounds: %s [following-query, limit-following-page]',
    async (query, listed, own) => {
      expect(await rowsOf(`/api/actors/${busy.actorId}/following${query}`)).toBe(listed);
      expect(await rowsOf(`/api/relations${query}`)).toBe(own);
    },
  );

  it('is refused for a cursor of another list, actor or reader [following-cursor]', async () => {
    const following = `/api/actors/${busy.actorId}/following`;
    const { cursor } = (await busy.get(`${following}?limit=5`)).body;
    const changed = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    const wrong = [
      ...['', 'x', cursor.slice(0, -2), `${cursor}A`, `${cursor}=`, changed].map((other) => [
        following,
        other,
      ]),
      ['/api/relations', cursor],
      // A forged cursor with numbers beyond the safe integers.
      ['/api/relations', Buffer.from(`${'.'.repeat(16)}9.9999999999999999999.9`).toString('base64url')],
      [`/api/actors/${busy.actorId}/followers`, cursor],
      [`/api/actors/${ada.actorId}/following`, cursor],
      [`/api/actors/${busy.actorId}/posts`, cursor],
    ];
    for (const [path, other] of wrong) {
      const { status, body } = await busy.get(`${path}?cursor=${other}`);
      expect([path, other, status, body]).toEqual([path, other, 400, errorBody('invalid_page_cursor')]);
    }
    const elsewhere = `${following}?cursor=${cursor}`;
    expect((await eve.get(elsewhere)).status).toBe(400);
    expect((await send(network.baseUrl, 'GET', elsewhere)).status).toBe(400);
    expect((await busy.get(elsewhere)).status).toBe(200);
  });
});
