import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { block, follow, like, post } from '../support/social.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';
import { everyScope } from './support/operations.js';

let network: TestNetwork;
let application: Application;

// A network of its own: a suspension elsewhere would ask everybody to reconcile.
beforeAll(async () => {
  network = await lentNetwork();
  application = await registerApplication(network);
});
afterAll(() => network.stop());

const hidings = {
  suspension: ({ actorId }: SignedIn) =>
    operatorOf(network).post('accounts/:id/suspend', { id: actorId, reason: 'a test' }),
  block: (hidden: SignedIn, other: SignedIn) => block(hidden, other),
};

/** The answers that one person gets, without random values and times. */
class Transcript {
  readonly lines: unknown[] = [];
  private readonly writeRevisions: string[] = [];
  private readonly names = new Map<string, string>();

  constructor(private readonly who: SignedIn) {}

  name(id: string, name: string): void {
    this.names.set(id, name);
  }

  async read(path: string): Promise<void> {
    const answer = await this.who.get(path);
    this.lines.push([this.withNames(path.replace(/cursor=.*/, '')), this.withoutVaryingParts(answer)]);
  }

  /** Adds whether the write revision is new, or which earlier one it repeats. */
  async change(what: string, act: () => Promise<Answer>): Promise<void> {
    const { headers } = await this.who.get('/api/session');
    const before = BigInt(headers.get('x-network-revision') ?? 0);
    const answer = await act();
    const revision = answer.headers.get('x-network-write-revision');
    const isNew = revision !== null && BigInt(revision) > before;
    this.lines.push([
      what,
      this.withoutVaryingParts(answer),
      isNew ? 'new' : this.writeRevisions.indexOf(revision ?? ''),
    ]);
    if (revision !== null) this.writeRevisions.push(revision);
  }

  private withoutVaryingParts({ status, body }: Answer): unknown {
    const text = this.withNames(JSON.stringify([status, body]));
    return text.replaceAll(/"(createdAt|readAt|cursor|position|at)":("[^"]*"|\d+)/g, '"$1":0');
  }

  private withNames(text: string): string {
    return [...this.names].reduce((all, [id, name]) => all.replaceAll(id, name), text);
  }
}

/** Everything that Bob sees and does. He follows Ada and likes her post, and she follows him, until `hide`. */
async function transcriptOf(hide: (typeof hidings)[keyof typeof hidings]): Promise<unknown[]> {
  const scopes = everyScope.join(' ');
  const [ada, bob] = [
    await personWithToken(network, application, scopes),
    await personWithToken(network, application, scopes),
  ];
  const transcript = new Transcript(bob);
  const intents: string[] = [];
  const intent = (n: number) => (intents[n] ??= randomUUID());
  const [adas, bobs] = [await post(ada, 'of ada'), await post(bob, 'of bob')];
  for (const [id, name] of Object.entries({ ada: ada.actorId, bob: bob.actorId, adas, bobs }))
    transcript.name(name, id);
  await follow(ada, bob);
  await like(ada, bobs);
  const [adasHandle, handle] = [await handleOf(ada), await handleOf(bob)];
  transcript.name(adasHandle, 'adas-handle');
  transcript.name(handle, 'bobs-handle');

  const relate = (method: 'put' | 'delete', kind: string, target: string, n: number) => () =>
    method === 'put'
      ? bob.put(`/api/relations/${kind}/${target}`, { intentId: intent(n) })
      : bob.delete(`/api/relations/${kind}/${target}?intentId=${intent(n)}`);
  await transcript.change('follows', relate('put', 'follow', ada.actorId, 0));
  await transcript.change('likes', relate('put', 'like', adas, 1));
  await transcript.read(`/api/actors/${bob.actorId}`);

  await hide(ada, bob);
  await until(async () => {
    const { projections } = await operatorOf(network).get('projections');
    return projections.every(({ lag }) => lag === 0);
  });
  const readEverything = async () => {
    for (const page of ['', '/followers', '/following', '/posts'])
      for (const { actorId } of [ada, bob]) await transcript.read(`/api/actors/${actorId}${page}`);
    for (const asked of [`ids=${ada.actorId},${bob.actorId}`, `handle=${adasHandle}`, `handle=${handle}`])
      await transcript.read(`/api/actors?${asked}`);
    for (const path of ['relations', 'inbox', 'timeline', 'reconcile', `posts/${adas}`, 'blocks'])
      await transcript.read(`/api/${path}`);
  };
  await readEverything();
  const eventsSince = async () => {
    const { cursor } = (await bob.get('/api/reconcile')).body;
    return () => transcript.read(`/api/events?cursor=${cursor}`);
  };
  const readEvents = await eventsSince();
  await transcript.change('follows once more, as before', relate('put', 'follow', ada.actorId, 0));
  await transcript.change('likes once more, as before', relate('put', 'like', adas, 1));
  await transcript.change('follows anew', relate('put', 'follow', ada.actorId, 2));
  await transcript.change('likes anew', relate('put', 'like', adas, 3));
  await transcript.change('follows no more', relate('delete', 'follow', ada.actorId, 4));
  await transcript.change('the same again', relate('delete', 'follow', ada.actorId, 4));
  await transcript.change('follows no more, anew', relate('delete', 'follow', ada.actorId, 5));
  await transcript.change('follows once more, after that', relate('put', 'follow', ada.actorId, 0));
  await transcript.change('likes no more', relate('delete', 'like', adas, 6));
  await transcript.change('likes no more, anew', relate('delete', 'like', adas, 7));
  await transcript.change('replies', () => bob.post('/api/posts', { intentId: intent(8), ...reply(adas) }));
  await transcript.change('reports', () =>
    bob.post('/api/reports', { intentId: intent(9), actorId: ada.actorId, reason: 'spam' }),
  );
  await transcript.change('reads the inbox', () =>
    bob.post('/api/inbox/read', { intentId: intent(10), upTo: Date.now() }),
  );
  await readEvents();
  await transcript.change('blocks', () => bob.put(`/api/blocks/${ada.actorId}`, { intentId: intent(11) }));
  await readEverything();
  await transcript.change(
    'follows no more, behind the own block',
    relate('delete', 'follow', ada.actorId, 12),
  );
  await transcript.change('blocks no more', () =>
    bob.delete(`/api/blocks/${ada.actorId}?intentId=${intent(13)}`),
  );
  await transcript.change('follows no more, in the end', relate('delete', 'follow', ada.actorId, 14));
  await readEverything();
  await transcript.change('looks up', () => bob.post('/api/intents/lookup', { intentIds: intents }));
  return transcript.lines.map((line) => JSON.stringify(line).replaceAll(/[\w-]{36}/g, 'uuid'));
}

const handleOf = async (who: SignedIn): Promise<string> =>
  (await who.get('/api/profile')).body.profile.handle;

const reply = (parentId: string) => ({ text: 'to ada', audience: 'public', parentId });

it('a person from whom an account is hidden cannot tell a suspension from a block', async () => {
  const [suspended, blocked] = [await transcriptOf(hidings.suspension), await transcriptOf(hidings.block)];
  expect(suspended).toEqual(blocked);
  expect(blocked).toContainEqual(expect.stringMatching(/^\["follows no more",.*"new"\]$/));
});
