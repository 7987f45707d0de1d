import { z } from 'zod';
import { event, id, omitted } from '../event.js';
import type { EventIn } from '../event.js';

export const auditEvents = {
  /** Entries of the audit are about to be sent to an operator, signed. `query`: terms of the search. */
  'audit.exported': event({ exportId: omitted(id), query: omitted(z.string()) }),
};

export type AuditExported = EventIn<typeof auditEvents>;
