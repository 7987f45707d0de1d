/** Rules of the server that only the embedded store is bound to, or that the client never comes near. */
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { credentials, status, type ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../test/support/until.js';
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

const connect = (port: number): StreamsClient =>
  new StreamsClient(`127.0.0.1:${port}`, credentials.createInsecure());

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

interface Batch {
  stream?: string;
  ids?: string[];
  metadata?: Record<string, string>;
  deadline?: Date;
  revision?: bigint;
}

function batchRequest({
  stream = `s-${randomUUID()}`,
  ids = [randomUUID()],
  metadata,
  deadline,
  revision,
}: Batch): InstanceType<typeof streamsPb.BatchAppendReq> {
  const of = new streamsPb.BatchAppendReq.Options()
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setAny(new emptyPb.Empty());
  if (revision !== undefined) of.setStreamPosition(String(revision));
  if (deadline) of.setDeadline(timestampPb.Timestamp.fromDate(deadline));
  const messages = ids.map((id) => {
    const message = new streamsPb.BatchAppendReq.ProposedMessage().setId(new sharedPb.UUID().setString(id));
    const entries = metadata ?? { type: 'tested', 'content-type': 'application/octet-stream' };
    for (const [key, value] of Object.entries(entries)) message.getMetadataMap().set(key, value);
    return message;
  });
  return new streamsPb.BatchAppendReq()
    .setCorrelationId(new sharedPb.UUID().setString(randomUUID()))
    .setOptions(of)
    .setProposedMessagesList(messages)
    .setIsFinal(true);
}

/** The answers to some appends, after the client closed its half of the call. */
async function batchAppend(
  ...requests: InstanceType<typeof streamsPb.BatchAppendReq>[]
): Promise<BatchAppendResp[]> {
  return batchAppendBy(client, requests);
}

async function batchAppendBy(
  by: StreamsClient,
  requests: InstanceType<typeof streamsPb.BatchAppendReq>[],
): Promise<BatchAppendResp[]> {
  const call = by.batchAppend();
  const answers: BatchAppendResp[] = [];
  return new Promise((resolve, reject) => {
    call.on('data', (answer: BatchAppendResp) => answers.push(answer));
    call.on('end', () => resolve(answers));
    call.on('error', reject);
    for (const request of requests) call.write(request);
    call.end();
  });
}

async function read(
  change: (options: InstanceType<typeof streamsPb.ReadReq.Options>) => void,
): Promise<ReadResp[]> {
  const of = new streamsPb.ReadReq.Options()
    .setUuidOption(new streamsPb.ReadReq.Options.UUIDOption().setString(new sharedPb.Empty()))
    .setAll(new streamsPb.ReadReq.Options.AllOptions().setStart(new sharedPb.Empty()))
    .setNoFilter(new sharedPb.Empty())
    .setCount('10');
  change(of);
  const call = client.read(new streamsPb.ReadReq().setOptions(of));
  const responses: ReadResp[] = [];
  for await (const response of call) responses.push(response as ReadResp);
  return responses;
}

describe('a batch append', () => {
  it('answers every append before the call ends', async () => {
    const answers = await batchAppend(...Array.from({ length: 20 }, () => batchRequest({})));
    expect(answers.map((answer) => answer.hasSuccess())).toEqual(Array(20).fill(true));
  });

  it('of no events says where the stream stands', async () => {
    const stream = `s-${randomUUID()}`;
    const [none, , some] = await batchAppend(
      batchRequest({ stream, ids: [] }),
      batchRequest({ stream }),
      batchRequest({ stream, ids: [] }),
    );
    expect(none!.getSuccess()!.hasNoStream()).toBe(true);
    expect(some!.getSuccess()!.getCurrentRevision()).toBe('0');
  });

  it('goes to a stream with the longest name, and to its metadata', async () => {
    const stream = randomUUID() + 'x'.repeat(2048 - 36);
    const answers = await batchAppend(batchRequest({ stream }), batchRequest({ stream: `$$${stream}` }));
    expect(answers.map((answer) => answer.hasSuccess())).toEqual([true, true]);
  });

  const unfinished = (batch: Batch): InstanceType<typeof streamsPb.BatchAppendReq> =>
    batchRequest(batch).setIsFinal(false);
  const errorsOf = (answers: BatchAppendResp[]): (string | undefined)[] =>
    answers.map((answer) => answer.getError()?.getMessage());

  it('may have many unfinished appends at a time, and is told when there are too many', async () => {
    const first = unfinished({});
    const others = Array.from({ length: 1024 }, () => unfinished({}));
    const rest = batchRequest({ ids: [] }).setCorrelationId(first.getCorrelationId());
    rest.clearOptions();
    const answers = await batchAppend(first, ...others, rest, batchRequest({}));
    expect(answers.map((answer) => answer.getCorrelationId()?.getString())).toEqual([
      others.at(-1)!.getCorrelationId()!.getString(),
      first.getCorrelationId()!.getString(),
      expect.any(String),
    ]);
    expect(errorsOf(answers)).toEqual([
      expect.stringContaining('begun and not finished'),
      undefined,
      undefined,
    ]);
  });

  it('is told when its unfinished appends hold too much', async () => {
    const metadata = { type: 'x'.repeat(500_000), 'content-type': 'application/octet-stream' };
    const answers = await batchAppend(...Array.from({ length: 40 }, () => unfinished({ metadata })));
    expect(errorsOf(answers)).toEqual(Array(7).fill(expect.stringContaining('begun and not finished')));
  });

  it('is told of which stream an append was refused, whichever of its requests it was for', async () => {
    const first = unfinished({ stream: 'refused' });
    const second = batchRequest({ ids: ['nonsense'] });
    second.setCorrelationId(first.getCorrelationId());
    second.clearOptions();
    const [answer] = await batchAppend(first, second);
    expect(Buffer.from(answer!.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe('refused');
  });

  it('takes the time of its events from outside', async () => {
    const stream = `s-${randomUUID()}`;
    await batchAppend(batchRequest({ stream }));
    const [response] = await read((of) => {
      const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
      of.setStream(
        new streamsPb.ReadReq.Options.StreamOptions()
          .setStreamIdentifier(identifier)
          .setStart(new sharedPb.Empty()),
      );
    });
    const created = response!.getEvent()!.getEvent()!.getMetadataMap().get('created');
    expect(created).toBe(`${NOW.getTime()}0000`);
  });

  it.each<[string, Batch, string]>([
    ['to $all', { stream: '$all' }, "'$all' cannot be written to"],
    ['to the metadata stream of no stream', { stream: '$$' }, "'$$' is not a stream name"],
    ['to a stream with a long name', { stream: 'x'.repeat(2049) }, 'the stream name has 2049 bytes'],
    [
      'to the metadata of such a stream',
      { stream: `$$${'ö'.repeat(1025)}` },
      'the stream name has 2050 bytes',
    ],
    ['behind a revision that is none', { revision: 2n ** 64n - 1n }, 'is no revision that a stream can have'],
    ['to a stream without a name', { stream: '' }, "'' is not a stream name"],
    ['of an event whose id is no UUID', { ids: ['nonsense'] }, 'the event id is not a UUID'],
    [
      'of an event with the empty id',
      { ids: ['00000000-0000-0000-0000-000000000000'] },
      'or is the empty one',
    ],
    ['of an event without a type', { metadata: { 'content-type': 'application/json' } }, "'type' is missing"],
    [
      'of an event with an empty type',
      { metadata: { type: '', 'content-type': 'application/json' } },
      "'type' is missing",
    ],
    ['of an event without a content type', { metadata: { type: 'tested' } }, "'content-type' is missing"],
    ['whose deadline has passed', { deadline: new Date(NOW.getTime() - 1) }, 'Timeout'],
  ])('%s is refused, and others of the call are not', async (_, batch, message) => {
    const [refused, appended] = await batchAppend(batchRequest(batch), batchRequest({}));
    expect(refused!.getError()!.getMessage()).toContain(message);
    expect(appended!.hasSuccess()).toBe(true);
  });
});

describe('a read', () => {
  const expression = (regex: string): InstanceType<typeof streamsPb.ReadReq.Options.FilterOptions> =>
    new streamsPb.ReadReq.Options.FilterOptions()
      .setEventType(new streamsPb.ReadReq.Options.FilterOptions.Expression().setRegex(regex))
      .setMax(10);

  it.each<[string, (of: InstanceType<typeof streamsPb.ReadReq.Options>) => unknown]>([
    ['with an expression that is none', (of) => of.setFilter(expression('('))],
    [
      'with a filter on nothing',
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
    await expect(read(change)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('of no events gives none', async () => {
    expect(await read((of) => of.setCount('0'))).toEqual([]);
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

/** Lets no fsync return until `release`; `reached` resolves when the first one is asked for. */
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

  it('gives its directory back when the port is taken', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plaza-server-'));
    await expect(startEventStore(options({ dir: other, port: store.port }))).rejects.toThrow(
      /EADDRINUSE|address/i,
    );
    const started = await startEventStore(options({ dir: other }));
    await started.close();
    await rm(other, { recursive: true });
  });

  it('answers UNAVAILABLE from the moment it closes, to calls old and new, and may be closed twice', async () => {
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
    const answered = new Promise((resolve) => own.append(resolve).end()); // behind the other on the connection
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

  it('answers the appends under way before it ends their call', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plaza-server-'));
    const closing = await startEventStore(options({ dir: other }));
    const own = connect(closing.port);
    const disk = await holdDisk();
    const answers = batchAppendBy(own, [batchRequest({}), batchRequest({})]);
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

  it('stops serving a subscription whose client is gone', async () => {
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
