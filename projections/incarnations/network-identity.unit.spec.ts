import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { MemoryLog } from '../../test/projections/support/memory-log.js';
import { some } from '../../test/projections/support/recorded.js';
import { WrongExpectedRevision } from '../../src/log/event-log.js';
import { foundNetwork, networkOf } from './network-identity.js';

const ids = (networkId: string) => ({
  uuid: randomUUID,
  networkId: () => networkId,
});

describe('the identity of a network', () => {
  test('is undefined for an empty log', async () => {
    expect(await networkOf(new MemoryLog())).toBeUndefined();
  });

  test('is the first founding', async () => {
    const log = new MemoryLog();
    expect(await foundNetwork(log, ids('one'), () => 7)).toBe('one');
    expect(await foundNetwork(log, ids('two'), () => 8)).toBe('one');
    expect(await log.read('network')).toMatchObject([
      { event: { type: 'network.founded', data: { networkId: 'one', at: 7 } } },
    ]);
  });

  test('is the same for concurrent founders', async () => {
    const log = new MemoryLog();
    const founders = Array.from({ length: 5 }, (_, index) => foundNetwork(log, ids(`n${index}`), () => 7));
    expect(new Set(await Promise.all(founders)).size).toBe(1);
    expect(await log.read('network')).toHaveLength(1);
  });

  test('is refused if the stream begins with another event', async () => {
    const log = new MemoryLog();
    const [claim] = log.add(some.claim('ada'));
    log.read = () => Promise.resolve(claim ? [claim] : []);
    log.append = () => Promise.reject(new WrongExpectedRevision('network'));
    await expect(foundNetwork(log, ids('one'), () => 7)).rejects.toThrow(
      'The stream network does not begin with network.founded.',
    );
  });
});
