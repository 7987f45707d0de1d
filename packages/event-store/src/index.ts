/** For programs that run the event store, or copy its files. For tests and benchmarks: `../testing/index.ts`. */
import type { EventStoreOptions, RunningEventStore } from './server.js';

export type { EventStoreOptions, RunningEventStore };
export { LogSnapshot } from './snapshot.js';
export {
  CorruptLogError,
  DirectoryLockedError,
  EXIT_LOG_UNWRITABLE,
  NewerLogError,
  StoreUnavailableError,
  UnusableFileError,
} from './errors.js';
export { lockDirectory } from './storage/directory-lock.js';
export { clientAddress, isTlsRequired } from './access/client-address.js';
export { createSelfSigned } from './access/self-signed.js';
export { tlsIdentity } from './access/tls-identity.js';

/**
 * Loads the server with its libraries first: a program that locks a directory or copies one needs none of them.
 * Otherwise as in `server.ts`.
 */
export async function startEventStore(options: EventStoreOptions): Promise<RunningEventStore> {
  const server = await import('./server.js');
  return server.startEventStore(options);
}
