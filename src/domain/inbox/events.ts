import type { DomainEvent, EventTime } from '../event.js';

/** `ids`: entries of the inbox. `upTo`: all entries up to this time, Unix milliseconds. */
export type InboxRead = DomainEvent<
  'inbox.read',
  { readonly actorId: string } & (
    | { readonly ids: readonly string[]; readonly upTo?: undefined }
    | { readonly ids?: undefined; readonly upTo: number }
  ) &
    EventTime
>;
