import { binaryEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { until } from '../testing/until.js';
import { collect, events, newStream, useEventStore } from './support/contract.js';

const link = (target: string): ReturnType<typeof binaryEvent> =>
  binaryEvent({ type: '$>', data: Buffer.from(target) });

/** A stream with links to events 1 and 0 of another stream, and to one that does not exist. */
async function linked(client: EventStoreDBClient): Promise<{ source: string; links: string }> {
  const [source, links] = [newStream(), newStream('links')];
  await client.appendToStream(source, events(2));
  await client.appendToStream(links, [link(`1@${source}`), link(`0@${source}`), link(`9@${source}`)]);
  return { source, links };
}

describe('links', () => {
  const target = useEventStore();

  it('are read as ordinary events unless the reader resolves them', async () => {
    const { links } = await linked(target.client);
    const read = await collect(target.client.readStream(links));
    expect(read.map(({ event }) => event!.type)).toEqual(['$>', '$>', '$>']);
    expect(read.map(({ link }) => link)).toEqual([undefined, undefined, undefined]);
  });

  it('are resolved to their events, and returned with them', async () => {
    const { source, links } = await linked(target.client);
    const read = await collect(target.client.readStream(links, { resolveLinkTos: true }));
    expect(read.map(({ event }) => event?.revision)).toEqual([1n, 0n, undefined]);
    expect(read.map(({ link }) => link?.revision)).toEqual([0n, 1n, 2n]);
    expect(read[0]!.event).toMatchObject({ streamId: source, data: { n: 1 } });
    expect(read[0]!.link).toMatchObject({ streamId: links, type: '$>' });
  });

  it('are resolved in $all and in subscriptions', async () => {
    const { links } = await linked(target.client);
    const [first] = await collect(target.client.readStream(links, { maxCount: 1 }));
    const all = target.client.readAll({
      fromPosition: first!.event!.position!,
      maxCount: 1,
      resolveLinkTos: true,
    });
    const [resolved] = await collect(all);
    expect(resolved!.event?.revision).toBe(1n);
    expect(resolved!.link?.streamId).toBe(links);
    const seen: (bigint | undefined)[] = [];
    const subscription = target.client.subscribeToStream(links, { resolveLinkTos: true });
    subscription.on('data', ({ event }) => seen.push(event?.revision));
    await until(() => seen.length === 3);
    await subscription.unsubscribe();
    expect(seen).toEqual([1n, 0n, undefined]);
  });

  it('are unresolved once their stream is deleted', async () => {
    const { source, links } = await linked(target.client);
    await target.client.deleteStream(source);
    const read = await collect(target.client.readStream(links, { resolveLinkTos: true }));
    expect(read.map(({ event }) => event)).toEqual([undefined, undefined, undefined]);
    expect(read.map(({ link }) => link?.type)).toEqual(['$>', '$>', '$>']);
  });
});
