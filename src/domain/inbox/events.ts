import type { DomainEvent, Occurrence } from '../event.js';

/** The actor has read these entries of the inbox, or all that were made up to a time (Unix milliseconds). */
export type InboxRead = DomainEvent<
  'inbox.read',
  { readonly actorId: string } & (
    | { readonly ids: readonly string[]; readonly upTo?: undefined }
    | { readonly ids?: undefined; readonly upTo: number }
  ) &
    Occurrence
>;
