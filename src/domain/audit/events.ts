import type { DomainEvent, EventTime } from '../event.js';

/** Entries of the audit are about to be sent to an operator, signed. `query`: terms of the search. */
export type AuditExported = DomainEvent<
  'audit.exported',
  { readonly exportId: string; readonly query: string } & EventTime
>;
