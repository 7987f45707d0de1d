import { describe, expect, it } from '@jest/globals';
import { AcknowledgedWrites } from './acknowledged-writes.js';

const creation = { method: 'POST', path: '/api/posts' };
const acknowledgementOf = (revision: number) => new Headers({ 'x-network-write-revision': String(revision) });

/** Answers each read with the next revision, and counts the reads. */
function networkShowing(...revisions: readonly (number | { readonly status: number })[]) {
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

describe('a read by a test', () => {
  it.each(['bob', undefined])('is repeated until it shows the writes of others (%s)', async (reader) => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    const network = networkShowing(3, 4, 5, 6);
    const answer = await acknowledged.readUntilShown(reader, network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['5', 3]);
  });

  it.each([
    ['DELETE', '/api/posts/p?intentId=i&revision=1'],
    ['PUT', '/api/blocks/bob'],
  ])('is not repeated for a restriction by others, which must hold at once: %s %s', async (method, path) => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', { method, path }, acknowledgementOf(5));
    const network = networkShowing(4, 5);
    const answer = await acknowledged.readUntilShown('bob', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['4', 1]);
  });

  it('is repeated for a restriction that others lifted', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record(
      'alice',
      { method: 'DELETE', path: '/api/blocks/bob?intentId=i' },
      acknowledgementOf(5),
    );
    const network = networkShowing(4, 5);
    const answer = await acknowledged.readUntilShown('bob', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['5', 2]);
  });

  it('is not repeated for a write of the reader, which must be shown at once', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    const network = networkShowing(4, 5);
    const answer = await acknowledged.readUntilShown('alice', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['4', 1]);
  });

  it('is not repeated if a write of the reader is missing, whatever others wrote since', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    acknowledged.record('bob', creation, acknowledgementOf(6));
    const network = networkShowing(4, 6);
    const answer = await acknowledged.readUntilShown('alice', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['4', 1]);
  });

  it('is not repeated if it is refused', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    const network = networkShowing({ status: 503 }, 5);
    expect((await acknowledged.readUntilShown('bob', network.read)).status).toBe(503);
    expect(network.reads).toBe(1);
  });

  it('does not wait for writes of a log that was replaced', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    const network = networkShowing(5, 1);
    await acknowledged.readUntilShown('bob', network.read);
    network.incarnation = 'second';
    const answer = await acknowledged.readUntilShown('bob', network.read);
    expect([answer.headers.get('x-network-revision'), network.reads]).toEqual(['1', 2]);
  });

  it('that is not found is repeated with the revision of the writes of others', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    const statuses = [404, 503, 200];
    const minRevisions: (string | undefined)[] = [];
    const { status } = await acknowledged.readUntilShown('bob', (headers) => {
      minRevisions.push(headers?.['x-network-min-revision']);
      return Promise.resolve({ status: statuses[minRevisions.length - 1] ?? 0, headers: new Headers() });
    });
    expect([status, minRevisions]).toEqual([200, [undefined, '5', '5']]);
  });

  it('that is not found is not repeated if the reader’s write is the newest', async () => {
    const acknowledged = new AcknowledgedWrites();
    acknowledged.record('alice', creation, acknowledgementOf(5));
    acknowledged.record('bob', creation, acknowledgementOf(6));
    const network = networkShowing({ status: 404 }, 7);
    expect((await acknowledged.readUntilShown('bob', network.read)).status).toBe(404);
  });
});
