import type { DomainEvent, EventTime } from '../event.js';

/** The whole profile; the registration is revision 1. All fields except `revision` and `at` are personal. */
export type ProfileChanged = DomainEvent<
  'profile.changed',
  {
    readonly actorId: string;
    readonly handle: string | null;
    readonly displayName: string;
    readonly bio: string;
    readonly website: string;
    readonly revision: number;
  } & EventTime
>;
