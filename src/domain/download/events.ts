import { z } from 'zod';
import { event, id, omitted, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

export const downloadEvents = {
  /**
   * A person is about to be sent what the network has of them, up to this event. `parts`: `events` that they caused or that
   * were decided about them, and the `inbox`.
   */
  'download.begun': event({
    actorId: pseudonym(id),
    downloadId: omitted(id),
    parts: omitted(z.array(z.enum(['events', 'inbox']))),
  }),
};

export type DownloadBegun = EventIn<typeof downloadEvents>;
