import { readConfig } from '../../src/config/config.js';

/** Address of the event store that `EVENTSTORE_URL` names, with its password. Undefined: none is named. */
export function namedEventStore(): string | undefined {
  const { EVENTSTORE_URL, EVENTSTORE_PASSWORD_FILE } = process.env;
  return readConfig({ EVENTSTORE_URL, EVENTSTORE_PASSWORD_FILE }).eventStoreUrl;
}
