import { z } from 'zod';
import { event, id, inData, omitted, pseudonym, time } from '../event.js';
import type { EventIn } from '../event.js';

const byIds = event({ actorId: pseudonym(id), ids: omitted(z.array(id)) });
const byTime = event({ actorId: pseudonym(id), upTo: inData(time) });

type InboxReadData =
  | (z.infer<typeof byIds.schema> & { readonly upTo?: undefined })
  | (z.infer<typeof byTime.schema> & { readonly ids?: undefined });

const either: z.ZodType<InboxReadData> = z.union([byIds.schema, byTime.schema]);

export const inboxEvents = {
  /** Inbox entries were marked as read: those of `ids`, or all up to the time `upTo` (Unix milliseconds). */
  'inbox.read': {
    ...byIds,
    schema: either,
    treatments: { ...byIds.treatments, ...byTime.treatments },
  },
};

export type InboxRead = EventIn<typeof inboxEvents>;
