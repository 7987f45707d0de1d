import type { DomainEvent, EventTime } from '../event.js';

/** Inbox entries were marked as read: those of `ids`, or all up to the time `upTo` (Unix milliseconds). */
export type InboxRead = DomainEvent<
  'inbox.read',
  { readonly actorId: string } & (
    | { readonly ids: readonly string[]; readonly upTo?: undefined }
    | { readonly ids?: undefined; readonly upTo: number }
  ) &
    EventTime
>;
