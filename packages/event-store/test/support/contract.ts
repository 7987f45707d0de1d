import { readFileSync } from 'node:fs';
import {
  EventStoreDBClient,
  jsonEvent,
  type Credentials,
  type EndPoint,
  type JSONEventData,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startEmbeddedEventStore, type EmbeddedEventStore } from '../../testing/start.js';

/**
 * Every EventStoreDB must pass this suite. EVENTSTORE_URL runs it against that server instead of the embedded store:
 * its address has the password.
 */
const named = process.env['EVENTSTORE_URL'];

/** For behavior that differs in newer servers; the embedded store follows 23.10. */
const is2310 = named === undefined || (await versionOf(named)).startsWith('23.10.');
export const describeAs2310 = is2310 ? describe : describe.skip;

async function versionOf(url: string): Promise<string> {
  const client = EventStoreDBClient.connectionString(url);
  const { serverVersion } = await client['capabilities'];
  await client.dispose();
  return serverVersion;
}

/** The server's address, for connections that the suite makes itself. */
export interface Address {
  /** The leader of a cluster. */
  readonly node: EndPoint;
  readonly isTls: boolean;
  readonly rootCertificate: Buffer | undefined;
  readonly credentials: Credentials | undefined;
}

export interface ContractTarget {
  readonly client: EventStoreDBClient;
  readonly url: string;
  readonly address: Address;
}

async function addressOf(url: string, client: EventStoreDBClient): Promise<Address> {
  const [host = '', port = ''] = (await client['resolveUri']()).split(/:(?=\d+$)/);
  const [, username, password] = /^esdb[^:]*:\/\/([^:@/]+):([^@/]+)@/.exec(url) ?? [];
  const options = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(url.split('?')[1])) options.set(name.toLowerCase(), value);
  const certificate = options.get('tlscafile');
  return {
    node: { address: host.replace(/^\[|\]$/g, ''), port: Number(port) },
    isTls: options.get('tls') !== 'false',
    rootCertificate: certificate === undefined ? undefined : readFileSync(certificate),
    credentials:
      username === undefined || password === undefined
        ? undefined
        : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}

/** One server and one client for all tests of a file. */
export function useEventStore(): ContractTarget {
  let embedded: EmbeddedEventStore | undefined;
  let client: EventStoreDBClient | undefined;
  let address: Address | undefined;
  let url = '';
  beforeAll(async () => {
    if (named === undefined) embedded = await startEmbeddedEventStore();
    url = named ?? embedded?.url ?? '';
    client = EventStoreDBClient.connectionString(url);
    address = await addressOf(url, client);
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
    get url() {
      return url;
    },
    get address() {
      if (!address) throw new Error('the event store is not started yet');
      return address;
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
