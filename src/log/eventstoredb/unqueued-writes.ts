import { Writable } from 'node:stream';
import type { EventStoreDBClient } from '@eventstore/db-client';

/**
 * Stops the client library from queueing appends. It queues an append while its stream waits for a drain. If the
 * stream fails then, the library rejects a promise without a handler, which ends the process. Here `write` always
 * returns true, so nothing is queued.
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
