import type { DomainEvent, Occurrence } from '../event.js';

/** All of a profile as it is from now on; the first one is that of the registration, revision 1. All but the numbers is personal. */
export type ProfileChanged = DomainEvent<
  'profile.changed',
  {
    readonly actorId: string;
    readonly handle: string | null;
    readonly displayName: string;
    readonly bio: string;
    readonly website: string;
    readonly revision: number;
  } & Occurrence
>;
