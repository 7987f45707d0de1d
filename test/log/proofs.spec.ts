import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogUnavailable } from '../../src/log/event-log.js';
import { foundNetwork, networkOf } from '../../projections/incarnations/network-identity.js';
import { LogBench } from './support/log-bench.js';

let bench: LogBench;

beforeAll(async () => {
  bench = await LogBench.open();
});

afterAll(() => bench?.close());

const foundTheNetwork = () => foundNetwork(bench.log, { uuid: randomUUID, networkId: () => 'n' }, () => 1);

describe('a read that proves something', () => {
  it('treats a tombstoned stream as lost, which other reads report as an outage', async () => {
    await foundTheNetwork();
    const { id, stream } = await bench.appendPost('alice', 'deleted by hand');
    const client = EventStoreDBClient.connectionString(bench.store.url);
    try {
      for (const name of [stream, 'network']) await client.tombstoneStream(name);
    } finally {
      await client.dispose();
    }
    await expect(bench.log.read(stream)).rejects.toBeInstanceOf(LogUnavailable);
    expect(await bench.log.find(stream, id)).toBeUndefined();
    expect(await networkOf(bench.log)).toBeUndefined();
  });
});
