/** Rules of the server that only the embedded store follows, or that the client never reaches. */
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { status, type ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchAppend, batchRequest, connect, read } from '../test/support/streams-calls.js';
import { until } from '../testing/until.js';
import { startEventStore, type EventStoreOptions, type RunningEventStore } from './server.js';
import { Store } from './storage/store.js';

const NOW = new Date('2026-01-02T03:04:05.678Z');

let dir: string;
let store: RunningEventStore;
let client: StreamsClient;

const options = (over: Partial<EventStoreOptions> = {}): EventStoreOptions => ({
  dir,
  host: '127.0.0.1',
  port: 0,
  log: () => undefined,
  now: () => NOW,
  ...over,
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-server-'));
  store = await startEventStore(options());
  client = connect(store.port);
});

afterAll(async () => {
  client.close();
  await store.close();
  await rm(dir, { recursive: true });
});

describe('a read', () => {
  const expression = (regex: string): InstanceType<typeof streamsPb.ReadReq.Options.FilterOptions> =>
    new streamsPb.ReadReq.Options.FilterOptions()
      .setEventType(new streamsPb.ReadReq.Options.FilterOptions.Expression().setRegex(regex))
      .setMax(10);

  it.each<[string, (of: InstanceType<typeof streamsPb.ReadReq.Options>) => unknown]>([
    ['with an expression that is none', (of) => of.setFilter(expression('('))],
    [
      'with a filter on neither streams nor types',
      (of) => of.setFilter(new streamsPb.ReadReq.Options.FilterOptions().setMax(1)),
    ],
    ['with an empty search window', (of) => of.setFilter(expression('x').setMax(0))],
    ['of nothing', (of) => of.clearAll()],
    ['without an end', (of) => of.clearCount()],
    [
      'that subscribes without a checkpoint interval',
      (of) =>
        of
          .setSubscription(new streamsPb.ReadReq.Options.SubscriptionOptions())
          .setFilter(expression('x').setCheckpointintervalmultiplier(0)),
    ],
    [
      'that subscribes backwards',
      (of) => of.setSubscription(new streamsPb.ReadReq.Options.SubscriptionOptions()).setReadDirection(1),
    ],
  ])('%s is refused', async (_, change) => {
    await expect(read(client, change)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('of no events gives none', async () => {
    expect(await read(client, (of) => of.setCount('0'))).toEqual([]);
  });
});

const appendOptions = (stream: string): InstanceType<typeof streamsPb.AppendReq.Options> =>
  new streamsPb.AppendReq.Options()
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setAny(new sharedPb.Empty());

const subscriptionToAll = (): InstanceType<typeof streamsPb.ReadReq> =>
  new streamsPb.ReadReq().setOptions(
    new streamsPb.ReadReq.Options()
      .setAll(new streamsPb.ReadReq.Options.AllOptions().setStart(new sharedPb.Empty()))
      .setSubscription(new streamsPb.ReadReq.Options.SubscriptionOptions())
      .setNoFilter(new sharedPb.Empty()),
  );

/** Holds every fsync back until `release`; `reached` resolves at the first one. */
async function holdDisk(): Promise<{ reached: Promise<void>; release(): void }> {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = await open(dir);
  jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync').mockImplementation(async () => {
    reached.resolve();
    await released.promise;
  });
  await handle.close();
  return { reached: reached.promise, release: released.resolve };
}

describe('the server', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('unlocks its directory when the port is taken', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plaza-server-'));
    await expect(startEventStore(options({ dir: other, port: store.port }))).rejects.toThrow(
      /EADDRINUSE|address/i,
    );
    const started = await startEventStore(options({ dir: other }));
    await started.close();
    await rm(other, { recursive: true });
  });

  it('answers UNAVAILABLE to open and new calls once it closes, and may be closed twice', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plaza-server-'));
    const closing = await startEventStore(options({ dir: other }));
    const own = connect(closing.port);
    const subscription = own.read(subscriptionToAll());
    await new Promise((resolve) => subscription.once('data', resolve));
    const ended = new Promise<ServiceError>((resolve) => subscription.once('error', resolve));
    const halfSent = new Promise<ServiceError | null>((resolve) => {
      const call = own.append((error) => resolve(error));
      call.write(new streamsPb.AppendReq().setOptions(appendOptions('half')));
    });
    const answered = new Promise((resolve) => own.append(resolve).end()); // second on the same connection
    await answered;
    const closed = closing.close();
    const deletion = new Promise<ServiceError | null>((resolve) =>
      own.delete(new streamsPb.DeleteReq(), (error) => resolve(error)),
    );
    expect((await deletion)!.code).toBe(status.UNAVAILABLE);
    expect((await ended).code).toBe(status.UNAVAILABLE);
    expect((await halfSent)!.details).toBe('the event store is shutting down');
    await Promise.all([closed, closing.close()]);
    own.close();
    await rm(other, { recursive: true });
  });

  it('answers pending appends before it ends their call', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plaza-server-'));
    const closing = await startEventStore(options({ dir: other }));
    const own = connect(closing.port);
    const disk = await holdDisk();
    const taken = jest.spyOn(Store.prototype, 'append');
    const answers = batchAppend(own, [batchRequest({}), batchRequest({})]);
    await until(() => taken.mock.calls.length === 2);
    await disk.reached;
    const closed = closing.close();
    const deletion = new Promise<ServiceError | null>((resolve) =>
      own.delete(new streamsPb.DeleteReq(), (error) => resolve(error)),
    );
    expect((await deletion)!.code).toBe(status.UNAVAILABLE);
    disk.release();
    expect((await answers).map((answer) => answer.hasSuccess())).toEqual([true, true]);
    await closed;
    own.close();
    await rm(other, { recursive: true });
  });

  it('stops serving a subscription whose client has disconnected', async () => {
    let waiting = 0;
    jest.spyOn(Store.prototype, 'onCommit').mockImplementation(() => {
      waiting++;
      return () => waiting--;
    });
    const subscription = client.read(subscriptionToAll());
    const cancelled = new Promise<ServiceError>((resolve) => subscription.once('error', resolve));
    await new Promise((resolve) => subscription.once('data', resolve));
    expect(waiting).toBe(1);
    subscription.cancel();
    await cancelled;
    await until(() => waiting === 0);
  });
});
