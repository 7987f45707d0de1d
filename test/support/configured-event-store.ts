import { readConfig } from '../../src/base/config/config.js';

/** Address of the event store in `EVENTSTORE_URL`, with its password. Undefined: not set. */
export function configuredEventStoreUrl(): string | undefined {
  const { EVENTSTORE_URL, EVENTSTORE_PASSWORD_FILE } = process.env;
  return readConfig({ EVENTSTORE_URL, EVENTSTORE_PASSWORD_FILE }).eventStoreUrl;
}
