import {
  jsonEvent,
  type EndPoint,
  type EventStoreDBClient,
  type JSONEventData,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  readEventStoreAddress,
  type EventStoreConnection,
} from '../../../src/base/config/event-store-files.js';
import { connect } from '../../../src/log/eventstoredb/connect.js';
import { nodeToAsk } from '../../../src/log/eventstoredb/gossip.js';
import { startEmbeddedEventStore, type EmbeddedEventStore } from '../../support/event-store.js';
import { configuredEventStoreUrl } from '../../support/configured-event-store.js';

/**
 * Every EventStoreDB must pass this suite. EVENTSTORE_URL runs it against that server instead of the embedded store.
 */
const named = configuredEventStoreUrl();

/** For behavior that differs in newer servers; the embedded store follows 23.10. */
const is2310 = named === undefined || (await versionOf(named)).startsWith('23.10.');
export const describeAs2310 = is2310 ? describe : describe.skip;

async function versionOf(url: string): Promise<string> {
  const address = readEventStoreAddress(url);
  const client = connect(address, await nodeToAsk(address));
  const { serverVersion } = await client['capabilities'];
  await client.dispose();
  return serverVersion;
}

export interface ContractTarget {
  readonly client: EventStoreDBClient;
  readonly address: EventStoreConnection;
  /** The leader of a cluster. */
  readonly node: EndPoint;
}

/** One server and one client for all tests of a file. */
export function useEventStore(): ContractTarget {
  let embedded: EmbeddedEventStore | undefined;
  let client: EventStoreDBClient | undefined;
  let address: EventStoreConnection | undefined;
  let node: EndPoint | undefined;
  beforeAll(async () => {
    if (named === undefined) embedded = await startEmbeddedEventStore();
    address = readEventStoreAddress(named ?? embedded?.url ?? '');
    node = await nodeToAsk(address);
    client = connect(address, node);
  });
  afterAll(async () => {
    await client?.dispose();
    await embedded?.stop();
  });
  return {
    get client() {
      if (!client) throw new Error('the event store is not started yet');
      return client;
    },
    get address() {
      if (!address) throw new Error('the event store is not started yet');
      return address;
    },
    get node() {
      if (!node) throw new Error('the event store is not started yet');
      return node;
    },
  };
}

/** A stream name that no other test or earlier run uses. */
export function newStream(prefix = 'contract'): string {
  return `${prefix}-${randomUUID()}`;
}

export type TestEvent = JSONEventData & { data: { n: number } };

export function events(count: number, { first = 0, type = 'tested' } = {}): TestEvent[] {
  return Array.from({ length: count }, (_, i) => jsonEvent({ type, data: { n: first + i } }));
}

export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

export function numbers(resolved: readonly ResolvedEvent[]): number[] {
  return resolved.map(({ event }) => (event!.data as { n: number }).n);
}

export async function numbersOf(client: EventStoreDBClient, stream: string): Promise<number[]> {
  return numbers(await collect(client.readStream(stream)));
}

export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('expected a rejection');
}
