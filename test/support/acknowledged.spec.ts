import { describe, expect, it } from '@jest/globals';
import { Acknowledged } from './acknowledged.js';

const creation = { method: 'POST', path: '/api/posts' };
const acknowledging = (revision: number) => new Headers({ 'x-network-write-revision': String(revision) });

/** A network that shows one revision after another, a read each. Counts the reads. */
function showing(...revisions: readonly (number | { readonly status: number })[]) {
  const network = {
    reads: 0,
    incarnation: 'first',
    read: () => {
      const shown = revisions[Math.min(network.reads++, revisions.length - 1)];
      if (typeof shown === 'object') return Promise.resolve({ ...shown, headers: new Headers() });
      const headers = { 'x-network-revision': String(shown), 'x-network-incarnation': network.incarnation };
      return Promise.resolve({ status: 200, headers: new Headers(headers) });
    },
  };
  return network;
}

describe('a reader', () => {
  it.each(['bob', undefined])('asks again until the writes of others are shown (%s)', async (reader) => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    const network = showing(3, 4, 5, 6);
    const answer = await acknowledged.shownTo(reader, network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['5', 3]);
  });

  it.each([
    ['DELETE', '/api/posts/p?intentId=i&revision=1'],
    ['PUT', '/api/blocks/bob'],
  ])(
    'does not ask again for a restriction of others, which must hold at once: %s %s',
    async (method, path) => {
      const acknowledged = new Acknowledged();
      acknowledged.note('alice', { method, path }, acknowledging(5));
      const network = showing(4, 5);
      const answer = await acknowledged.shownTo('bob', network.read);
      expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['4', 1]);
    },
  );

  it('asks again for what others give back', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', { method: 'DELETE', path: '/api/blocks/bob?intentId=i' }, acknowledging(5));
    const network = showing(4, 5);
    const answer = await acknowledged.shownTo('bob', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['5', 2]);
  });

  it('does not ask again for a write of their own, which must be shown at once', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    const network = showing(4, 5);
    const answer = await acknowledged.shownTo('alice', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['4', 1]);
  });

  it('does not ask again where their own write is missing, whatever others wrote since', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    acknowledged.note('bob', creation, acknowledging(6));
    const network = showing(4, 6);
    const answer = await acknowledged.shownTo('alice', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['4', 1]);
  });

  it('does not ask again where a read is refused', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    const network = showing({ status: 503 }, 5);
    expect((await acknowledged.shownTo('bob', network.read)).status).toBe(503);
    expect(network.reads).toBe(1);
  });

  it('waits for no write of a log that was replaced', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    const network = showing(5, 1);
    await acknowledged.shownTo('bob', network.read);
    network.incarnation = 'second';
    const answer = await acknowledged.shownTo('bob', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['1', 2]);
  });

  it('asks for what is shown behind the writes of others where something is not found', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    const statuses = [404, 503, 200];
    const asked: (string | undefined)[] = [];
    const { status } = await acknowledged.shownTo('bob', (headers) => {
      asked.push(headers?.['x-network-min-revision']);
      return Promise.resolve({ status: statuses[asked.length - 1] ?? 0, headers: new Headers() });
    });
    expect([status, asked]).toEqual([200, [undefined, '5', '5']]);
  });

  it('is told that something is not there which their own write is newer than', async () => {
    const acknowledged = new Acknowledged();
    acknowledged.note('alice', creation, acknowledging(5));
    acknowledged.note('bob', creation, acknowledging(6));
    const network = showing({ status: 404 }, 7);
    expect((await acknowledged.shownTo('bob', network.read)).status).toBe(404);
  });
});
