import type { DomainEvent, EventTime } from '../event.js';

/**
 * The whole profile after the change; the registration is revision 1. Handle, display name, bio and website are
 * personal.
 */
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
