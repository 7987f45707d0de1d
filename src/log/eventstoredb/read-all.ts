import type { ReadAllOptions, RecordedEvent } from '@eventstore/db-client';
import { collectEvents, FROM_LEADER, READ_DEADLINE_MS } from './bounded-read.js';
import type { Connection } from './connection.js';

export const readAll = (
  connection: Connection,
  options: ReadAllOptions & { readonly maxCount: number },
): Promise<RecordedEvent[]> =>
  connection.ask(READ_DEADLINE_MS, (client, signal) =>
    collectEvents(client.readAll({ ...options, ...FROM_LEADER }), signal),
  );
