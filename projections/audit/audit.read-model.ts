import type { Pool } from 'pg';
import { auditGroup } from './audit.projection.js';
import { subjectKinds } from './subject.js';
import type { SubjectKind, EventIds } from './subject.js';

/** All conditions must hold. `since`: Unix milliseconds, inclusive. */
export type AuditFilter = { readonly [Of in SubjectKind]?: string | undefined } & {
  readonly since?: number | undefined;
};

export interface AuditedEvent {
  readonly position: bigint;
  readonly eventId: string;
  readonly at: number;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly subject: EventIds;
  readonly actorId: string | null;
  readonly appId: string | null;
  readonly grantId: string | null;
  readonly intentId: string | null;
  readonly requestId: string;
  readonly addressClass: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
}

interface Row extends Omit<AuditedEvent, 'position' | 'revision' | 'at'> {
  readonly position: string;
  readonly revision: string;
  readonly at: string;
}

export async function auditedEventsAfter(
  pool: Pool,
  filter: AuditFilter,
  after: bigint,
  limit: number,
): Promise<readonly AuditedEvent[]> {
  const values: unknown[] = [String(after), limit, filter.since ?? 0];
  const joins = subjectKinds
    .filter((kind) => filter[kind] !== undefined)
    .map((kind) => {
      const id = `$${values.push(filter[kind])}`;
      // Each join repeats the position, so that each reads its index from there.
      const about = `about_${kind}`;
      return `JOIN audit.about ${about} ON ${about}.position = event.position AND ${about}.position > $1::numeric
        AND ${about}.kind = '${kind}' AND ${about}.id = ${id}`;
    });
  const { rows } = await pool.query<Row>(
    `SELECT event.position::text, event.event_id AS "eventId", event.at::text, event.type, event.stream,
      event.revision::text, event.subject, event.actor_id AS "actorId", event.app_id AS "appId",
      event.grant_id AS "grantId", event.intent_id AS "intentId", event.request_id AS "requestId",
      event.address_class AS "addressClass", event.operator, event.reason
    FROM audit.event ${joins.join(' ')}
    WHERE event.position > $1::numeric AND event.at >= $3::bigint
    ORDER BY event.position LIMIT $2::integer`,
    values,
  );
  return rows.map(present);
}

function present({ position, revision, at, ...row }: Row): AuditedEvent {
  return { ...row, position: BigInt(position), revision: BigInt(revision), at: Number(at) };
}

export async function auditPosition(pool: Pool): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    'SELECT applied_position::text AS position FROM recovery.checkpoint WHERE group_name = $1',
    [auditGroup.name],
  );
  const position = rows[0]?.position ?? undefined;
  return position === undefined ? undefined : BigInt(position);
}
