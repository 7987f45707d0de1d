import { Writable } from 'node:stream';
import type { EventStoreDBClient } from '@eventstore/db-client';

/**
 * Keeps appends out of the client's queue. The client queues an append while its stream waits for a drain. If the
 * stream then fails, it rejects the append's write in a promise without a handler, which ends the process. A stream
 * whose `write` returns true has no queue.
 */
export function writeWithoutQueue(client: EventStoreDBClient): void {
  const create = client['GRPCStreamCreator'];
  client['GRPCStreamCreator'] = (Client, name, creator, cache) =>
    create(Client, name, async (grpcClient) => withoutBackpressure(await creator(grpcClient)), cache);
}

function withoutBackpressure<T>(stream: T): T {
  if (!(stream instanceof Writable)) return stream;
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (...given: unknown[]) => {
    write(...given);
    return true;
  };
  return stream;
}
