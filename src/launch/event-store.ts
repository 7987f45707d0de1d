import type { Logger } from 'pino';
import { startEventStore } from '../log/embedded/server.js';
import { announceReady, onStop } from './child.js';

export interface EventStorePlace {
  readonly dir: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** Runs the embedded event store in this process until it is told to stop. Resolves with its port once it serves. */
export async function runEventStore(place: EventStorePlace, log: Logger): Promise<number> {
  const store = await startEventStore({
    ...place,
    log: (level, message, fields) => log[level](fields, message),
    now: () => new Date(),
  });
  onStop(() => store.close());
  announceReady();
  return store.port;
}
