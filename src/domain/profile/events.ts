import { z } from 'zod';
import { clear, event, id, personal, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

export const profileEvents = {
  /** The whole profile after the change; the registration is revision 1. */
  'profile.changed': event(
    {
      actorId: pseudonym(id),
      handle: personal(z.string().nullable(), null),
      displayName: personal(z.string(), ''),
      bio: personal(z.string(), ''),
      website: personal(z.string(), ''),
      revision: clear(z.int().positive()),
    },
    { person: 'actorId' },
  ),
};

export type ProfileChanged = EventIn<typeof profileEvents>;
