/** Parts of the protocol that only other clients use, called without the client of this project. */
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreDBClient } from '@eventstore/db-client';
import { CallCredentials, ChannelCredentials, Metadata } from '@grpc/grpc-js';
import type { Client, ServiceError } from '@grpc/grpc-js';
import { afterAll, describe, expect, it } from '@jest/globals';
import { collect, events, newStream, numbers, useEventStore } from './support/contract.js';
import type { ContractTarget } from './support/contract.js';

type Options = InstanceType<typeof streamsPb.ReadReq.Options>;

const MOST = 0x7fff_ffff;

function channelTo({ address: { isTls, rootCertificate, credentials } }: ContractTarget): ChannelCredentials {
  if (!isTls) return ChannelCredentials.createInsecure();
  const channel = ChannelCredentials.createSsl(rootCertificate);
  if (!credentials) return channel;
  const metadata = new Metadata();
  const { username, password } = credentials;
  metadata.set('authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  return channel.compose(CallCredentials.createFromMetadataGenerator((_, done) => done(null, metadata)));
}

describe('the protocol', () => {
  const target = useEventStore();
  const clients: Client[] = [];

  afterAll(() => {
    for (const client of clients) client.close();
  });

  function connect<C extends Client>(
    Constructor: new (address: string, channel: ChannelCredentials) => C,
  ): C {
    const { address, port } = target.address.node;
    const client = new Constructor(`${address}:${port}`, channelTo(target));
    clients.push(client);
    return client;
  }

  async function call<T>(
    start: (done: (error: ServiceError | null, answer: T) => void) => unknown,
  ): Promise<T> {
    return new Promise((resolve, reject) =>
      start((error, answer) => (error ? reject(error) : resolve(answer))),
    );
  }

  async function read(options: Options): Promise<ReadResp[]> {
    return collect<ReadResp>(connect(StreamsClient).read(new streamsPb.ReadReq().setOptions(options)));
  }

  it('reports its methods and a version from 23.10 on', async () => {
    const answer = await call<{
      getEventStoreServerVersion(): string;
      getMethodsList(): { getMethodName(): string; getFeaturesList(): string[] }[];
    }>((done) => connect(ServerFeaturesClient).getSupportedMethods(new sharedPb.Empty(), done));
    const [major, minor] = answer.getEventStoreServerVersion().split('.').map(Number);
    expect(major! * 100 + minor!).toBeGreaterThanOrEqual(2310);
    const batchAppend = answer.getMethodsList().find((method) => method.getMethodName() === 'batchappend');
    expect(batchAppend!.getFeaturesList()).toContain('deadline_duration');
    const methods = answer.getMethodsList().map((method) => method.getMethodName());
    expect(methods).toEqual(expect.arrayContaining(['read', 'append', 'batchappend', 'delete', 'tombstone']));
  });

  it('reports a live leader through gossip', async () => {
    const answer = await call<InstanceType<typeof gossipPb.ClusterInfo>>((done) =>
      connect(GossipClient).read(new sharedPb.Empty(), done),
    );
    const leader = answer
      .getMembersList()
      .find((m) => m.getState() === gossipPb.MemberInfo.VNodeState.LEADER);
    expect(leader!.getIsAlive()).toBe(true);
    expect(leader!.getHttpEndPoint()!.getPort()).toBeGreaterThan(0);
  });

  it('is found by a client that uses cluster discovery', async () => {
    const { node, isTls, rootCertificate, credentials } = target.address;
    const channel = { insecure: !isTls, ...(rootCertificate && { rootCertificate }) };
    const client = new EventStoreDBClient({ discover: node }, channel, credentials);
    const stream = newStream();
    await client.appendToStream(stream, events(1));
    expect(numbers(await collect(client.readStream(stream)))).toEqual([0]);
    await client.dispose();
  });

  it('returns ids as two halves on request', async () => {
    const stream = newStream();
    const [event] = events(1);
    await target.client.appendToStream(stream, event!);
    const options = streamOptions(stream).setUuidOption(
      new streamsPb.ReadReq.Options.UUIDOption().setStructured(new sharedPb.Empty()),
    );
    const [response] = await read(options);
    const recorded = response!.getEvent()!.getEvent()!;
    const halves = recorded.getId()!.getStructured()!;
    const hex = (half: string): string => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0');
    const id = hex(halves.getMostSignificantBits()) + hex(halves.getLeastSignificantBits());
    expect(id).toBe(event!.id.replaceAll('-', ''));
    expect(Buffer.from(recorded.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe(stream);
    expect(JSON.parse(Buffer.from(recorded.getData_asU8()).toString())).toEqual({ n: 0 });
  });

  it('returns the last revision of a stream to compatible clients', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(3));
    const compatible = new streamsPb.ReadReq.Options.ControlOption().setCompatibility(21);
    const responses = await read(streamOptions(stream).setControlOption(compatible));
    expect(responses.at(-1)!.getLastStreamPosition()).toBe('2');
  });

  describe('the first position of a stream', () => {
    const readPositions = async (stream: string, from: number, count = MOST, metadata = {}) => {
      if (Object.keys(metadata).length > 0) await target.client.setStreamMetadata(stream, metadata);
      const compatible = new streamsPb.ReadReq.Options.ControlOption().setCompatibility(1);
      const options = streamOptions(stream).setControlOption(compatible).setCount(String(count));
      options.getStream()!.setRevision(String(from));
      return (await read(options)).map((response) =>
        response.hasFirstStreamPosition()
          ? { first: response.getFirstStreamPosition() }
          : response.hasLastStreamPosition()
            ? { last: response.getLastStreamPosition() }
            : response.getEvent()!.getEvent()!.getStreamRevision(),
      );
    };
    const streamOf = async (count: number) => {
      const stream = newStream();
      await target.client.appendToStream(stream, events(count));
      return stream;
    };

    it('is returned when a read begins after the end, or far before the first visible event', async () => {
      expect(await readPositions(await streamOf(3), 10)).toEqual([{ first: '3' }, { last: '2' }]);
      const far = await streamOf(42);
      expect(await readPositions(far, 0, MOST, { truncateBefore: 40 })).toEqual([
        { first: '40' },
        '40',
        '41',
        { last: '41' },
      ]);
      expect(await readPositions(far, 38, 2)).toEqual([{ first: '40' }, '40', '41', { last: '41' }]);
    });

    it('is omitted otherwise', async () => {
      expect(await readPositions(await streamOf(3), 3)).toEqual([{ last: '2' }]);
      expect(await readPositions(await streamOf(3), 1)).toEqual(['1', '2', { last: '2' }]);
      expect(await readPositions(await streamOf(5), 0, MOST, { truncateBefore: 3 })).toEqual([
        '3',
        '4',
        { last: '4' },
      ]);
    });
  });

  it.each<[string, (stream: string) => string]>([
    ['the whole name', (stream) => `\\A${stream}\\z`],
    ['kinds of characters', () => '^\\p{Ll}+-[\\w-[_]]+-'],
    ['letters of either case', (stream) => `(?i)^${stream.toUpperCase()}$`],
  ])('filters by an expression with %s', async (_, expressionFor) => {
    const stream = newStream('filtered');
    const { position } = await target.client.appendToStream(stream, events(1));
    await target.client.appendToStream(`Other_${stream}`, events(1));
    await target.client.appendToStream(stream, events(1));
    const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression();
    const filter = new streamsPb.ReadReq.Options.FilterOptions()
      .setStreamIdentifier(expression.setRegex(expressionFor(stream)))
      .setMax(16)
      .setCheckpointintervalmultiplier(1);
    const from = new streamsPb.ReadReq.Options.Position()
      .setCommitPosition(String(position!.commit))
      .setPreparePosition(String(position!.prepare));
    const all = new streamsPb.ReadReq.Options.AllOptions().setPosition(from);
    const responses = await read(readOptions().setAll(all).setFilter(filter).setCount('2'));
    const found = responses.map((response) => {
      const recorded = response.getEvent()!.getEvent()!;
      return Buffer.from(recorded.getStreamIdentifier()!.getStreamName_asU8()).toString();
    });
    expect(found).toEqual([stream, stream]);
  });

  it.each(['forwards', 'backwards'] as const)('reads $all through a filter, %s', async (direction) => {
    const stream = newStream('filtered');
    const { position } = await target.client.appendToStream(stream, events(1));
    for (let i = 1; i < 4; i++) {
      await target.client.appendToStream(newStream('other'), events(40));
      await target.client.appendToStream(stream, events(1, { first: i }));
    }
    const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression().setPrefixList([stream]);
    const filter = new streamsPb.ReadReq.Options.FilterOptions()
      .setStreamIdentifier(expression)
      .setMax(16)
      .setCheckpointintervalmultiplier(1);
    const all = new streamsPb.ReadReq.Options.AllOptions();
    if (direction === 'backwards') all.setEnd(new sharedPb.Empty());
    else {
      const from = new streamsPb.ReadReq.Options.Position()
        .setCommitPosition(String(position!.commit))
        .setPreparePosition(String(position!.prepare));
      all.setPosition(from);
    }
    const options = readOptions().setAll(all).setFilter(filter).setCount('3');
    options.setReadDirection(direction === 'backwards' ? 1 : 0);
    const responses = await read(options);
    const found = responses.flatMap((response) => response.getEvent()?.getEvent()?.getStreamRevision() ?? []);
    expect(found).toEqual(direction === 'backwards' ? ['3', '2', '1'] : ['0', '1', '2']);
  });
});

function readOptions(): Options {
  const ids = new streamsPb.ReadReq.Options.UUIDOption().setString(new sharedPb.Empty());
  return new streamsPb.ReadReq.Options().setUuidOption(ids);
}

function streamOptions(stream: string): Options {
  const of = new streamsPb.ReadReq.Options.StreamOptions()
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setStart(new sharedPb.Empty());
  return readOptions().setStream(of).setNoFilter(new sharedPb.Empty()).setCount(String(MOST));
}
