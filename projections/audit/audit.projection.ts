import type { Recorded } from '../../src/log/recorded.js';
import { eventTypes } from '../../src/log/registry.js';
import type { Group, Handlers, Projection, Statement, Write } from '../runner/projection.js';
import { auditSubjectsOf, eventIdsOf } from './subject.js';
import type { SubjectKind, EventIds } from './subject.js';

interface AuditedRow {
  readonly position: string;
  readonly event_id: string;
  readonly at: number;
  readonly type: string;
  readonly stream: string;
  readonly revision: string;
  readonly subject: EventIds;
  readonly actor_id?: string | undefined;
  readonly app_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly intent_id?: string | undefined;
  readonly request_id: string;
  readonly address_class?: string | undefined;
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
}

const insertEvent: Statement<AuditedRow> = {
  name: 'event.note',
  table: 'event',
  key: (row) => row.position,
  sql: `
    INSERT INTO event (position, event_id, at, type, stream, revision, subject, actor_id, app_id, grant_id, intent_id,
      request_id, address_class, operator, reason)
    SELECT position, event_id, at, type, stream, revision, subject, actor_id, app_id, grant_id, intent_id,
      request_id, address_class, operator, reason
    FROM json_to_recordset($1) AS row(position numeric, event_id uuid, at bigint, type text, stream text,
      revision numeric, subject json, actor_id text, app_id text, grant_id text, intent_id text,
      request_id text, address_class text, operator text, reason text)
    ON CONFLICT (position) DO NOTHING`,
};

interface AboutRow {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly position: string;
}

const insertAbout: Statement<AboutRow> = {
  name: 'about.concern',
  table: 'about',
  key: ({ kind, id, position }) => JSON.stringify([kind, id, position]),
  sql: `
    INSERT INTO about (kind, id, position)
    SELECT kind, id, position FROM json_to_recordset($1) AS row(kind text, id text, position numeric)
    ON CONFLICT DO NOTHING`,
};

/** Adds an event to the audit, with its ids and metadata only: personal texts stay encrypted in the log. */
function recordEvent(recorded: Recorded, write: Write): void {
  const { event, metadata } = recorded;
  const position = String(recorded.position);
  write(insertEvent, {
    position,
    event_id: recorded.id,
    at: event.data.at,
    type: event.type,
    stream: recorded.stream,
    revision: String(recorded.revision),
    subject: eventIdsOf(event),
    actor_id: metadata.actorId,
    app_id: metadata.appId,
    grant_id: metadata.grantId,
    intent_id: metadata.intentId,
    request_id: metadata.requestId,
    address_class: metadata.addressClass,
    operator: metadata.operator,
    reason: metadata.reason,
  });
  for (const { kind, id } of auditSubjectsOf(recorded)) write(insertAbout, { kind, id, position });
}

/** Raise this version when a row's content changes, and add a migration that empties the tables. */
const ROW_VERSION = 1;

export const auditTrail: Projection = {
  name: 'audit',
  // Event types are never removed, so code with fewer types is older and would leave gaps.
  version: ROW_VERSION * 1_000 + eventTypes.length,
  tables: '',
  handlers: Object.fromEntries(eventTypes.map((type) => [type, recordEvent])) satisfies Handlers,
};

/** The audit may lag, because no request waits for it. A rebuild of read models leaves its tables in place. */
export const auditGroup: Group = { name: 'audit', projections: [auditTrail], lingerMs: 250 };
