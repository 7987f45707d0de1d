import type { Recorded } from '../../src/log/recorded.js';
import { eventTypes } from '../../src/log/registry.js';
import type { Group, Handlers, Projection, Statement, Write } from '../runner/projection.js';
import { insertEvent } from './event.sql.js';
import { actOf, auditSubjectsOf, eventIdsOf } from './subject.js';
import type { SubjectKind } from './subject.js';

interface AboutRow {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly at: number;
  readonly position: string;
}

const insertAbout: Statement<AboutRow> = {
  name: 'about.concern',
  table: 'about',
  key: ({ kind, id, position }) => JSON.stringify([kind, id, position]),
  sql: `
    INSERT INTO about (kind, id, at, position)
    SELECT kind, id, at, position
    FROM json_to_recordset($1) AS row(kind text, id text, at bigint, position numeric)
    ON CONFLICT DO NOTHING`,
};

/** Adds an event to the audit, with its ids and metadata only: personal texts stay encrypted in the log. */
function recordEvent(recorded: Recorded, write: Write): void {
  const { event, metadata } = recorded;
  const position = String(recorded.position);
  const { at } = event.data;
  write(insertEvent, {
    position,
    event_id: recorded.id,
    at,
    type: event.type,
    act: actOf(event),
    stream: recorded.stream,
    revision: String(recorded.revision),
    subject: eventIdsOf(event),
    actor_id: metadata.actorId,
    app_id: metadata.appId,
    grant_id: metadata.grantId,
    intent_id: metadata.intentId,
    request_id: metadata.requestId,
    client_request_id: metadata.clientRequestId,
    address_class: metadata.addressClass,
    operator_id: metadata.operatorId,
    operator: metadata.operator,
    reason: metadata.reason,
    cause: metadata.cause,
  });
  for (const { kind, id } of auditSubjectsOf(recorded)) write(insertAbout, { kind, id, at, position });
}

/**
 * Raise this version when a row's content changes, and add a migration that empties the tables and leaves them to workers
 * of this version: src/base/store/migrations/1763900000000-audit-claimed.ts.
 */
const ROW_VERSION = 3;

export const auditTrail: Projection = {
  name: 'audit',
  // Event types are never removed, so code with fewer types is older and would leave gaps.
  version: ROW_VERSION * 1_000 + eventTypes.length,
  tables: '',
  handlers: Object.fromEntries(eventTypes.map((type) => [type, recordEvent])) satisfies Handlers,
};

/** The audit may lag, because no request waits for it. A rebuild of read models leaves its tables in place. */
export const auditGroup: Group = { name: 'audit', projections: [auditTrail], lingerMs: 250 };
