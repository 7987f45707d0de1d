import type { ClientBase, Pool } from 'pg';
import { auditGroup } from './audit.projection.js';
import { eventsOf, listsOf, windowOf } from './search.sql.js';
import { Parameters } from '../runner/parameters.js';
import type { AuditCursor, AuditSearch, EventList } from './search.sql.js';
import { inSnapshot } from './snapshot.js';
import type { EventIds } from './subject.js';

export type { AuditCursor, AuditSearch } from './search.sql.js';
export type { AuditSubject, SubjectKind } from './subject.js';

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
  readonly clientRequestId: string | null;
  readonly addressClass: string | null;
  readonly operatorId: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
  readonly cause: string | null;
}

export interface AuditRow extends Omit<AuditedEvent, 'position' | 'revision' | 'at'> {
  readonly position: string;
  readonly revision: string;
  readonly at: string;
}

/** `next`: older events may follow, even if the page is short or empty. Undefined: none follows. */
export interface AuditPage {
  readonly events: readonly AuditedEvent[];
  readonly next: AuditCursor | undefined;
}

/**
 * The most events that one page of a search reads. A page whose conditions rarely meet ends here, short or empty, with a
 * cursor: its time is bounded, however many events meet one condition alone.
 */
export const MAX_CANDIDATES = 2_000;
/** More types than this are a filter beside other conditions: each type would be a lookup of its own. */
const MAX_LISTED_TYPES = 8;

/** The newest events that meet all conditions, below `before`. In the order of time, then of the log. */
export function newestEvents(
  pool: Pool,
  search: AuditSearch,
  before: AuditCursor | undefined,
  limit: number,
): Promise<AuditPage> {
  return inSnapshot(pool, async (client) => {
    const lists = listsOf(search);
    const [shortest = lists[0]] = await byLength(client, lists, search, before);
    if (!shortest) throw new Error('a search has at least one list');
    const others = lists.filter((list) => list !== shortest);
    const candidates = others.length === 0 ? limit + 1 : MAX_CANDIDATES;
    const parameters = new Parameters();
    const newest = shortest.newest(windowOf(search, before, parameters), candidates, parameters);
    const filters = others.flatMap((list) => list.filter?.(parameters) ?? []);
    const { rows } = await client.query<AuditRow>(
      `${eventsOf(newest, filters, 'candidate.at DESC, candidate.position DESC')} LIMIT ${limit + 1}`,
      parameters.values,
    );
    const events = rows.slice(0, limit).map(presentEvent);
    if (rows.length > limit) return { events, next: events.at(-1) };
    return {
      events,
      next: others.length === 0 ? undefined : await lastCandidate(client, shortest, search, before),
    };
  });
}

/** Lists by their number of events in the window, counted up to the candidates of a page. */
async function byLength(
  client: ClientBase,
  lists: readonly EventList[],
  search: AuditSearch,
  before: AuditCursor | undefined,
): Promise<readonly EventList[]> {
  const counted = lists.filter(
    ({ kind }) => kind !== 'types' || (search.types?.length ?? 0) <= MAX_LISTED_TYPES || lists.length === 1,
  );
  if (counted.length < 2) return counted;
  const parameters = new Parameters();
  const window = windowOf(search, before, parameters);
  const counts = counted.map(
    (list, n) =>
      `(SELECT count(*)::integer FROM (${list.newest(window, MAX_CANDIDATES + 1, parameters)}) AS list) AS n${n}`,
  );
  const { rows } = await client.query<Record<string, number>>(
    `SELECT ${counts.join(', ')}`,
    parameters.values,
  );
  const length = (list: EventList) => rows[0]?.[`n${counted.indexOf(list)}`] ?? 0;
  return counted.toSorted((a, b) => length(a) - length(b));
}

/** The last event that a page of a list reads. Undefined: the list ends with this page. */
export async function lastCandidate(
  client: ClientBase,
  list: EventList,
  search: AuditSearch,
  before: AuditCursor | undefined,
): Promise<AuditCursor | undefined> {
  const parameters = new Parameters();
  const newest = list.newest(windowOf(search, before, parameters), MAX_CANDIDATES, parameters);
  const { rows } = await client.query<{ at: string; position: string }>(
    `SELECT at::text, position::text FROM (${newest}) AS candidate
    ORDER BY candidate.at DESC, candidate.position DESC OFFSET ${MAX_CANDIDATES - 1}`,
    parameters.values,
  );
  return rows[0] && { at: Number(rows[0].at), position: BigInt(rows[0].position) };
}

export async function eventsWithIds(
  pool: Pool,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, AuditedEvent>> {
  const { rows } = await pool.query<AuditRow>(
    eventsOf('SELECT at, position FROM audit.event WHERE event_id = ANY ($1)', [], 'candidate.position'),
    [eventIds],
  );
  return new Map(rows.map((row) => [row.eventId, presentEvent(row)]));
}

export function presentEvent({ position, revision, at, ...row }: AuditRow): AuditedEvent {
  return { ...row, position: BigInt(position), revision: BigInt(revision), at: Number(at) };
}

/** `at`: of the event at the position, Unix milliseconds. */
export interface AuditPosition {
  readonly position: bigint;
  readonly at: number | null;
}

export async function auditPosition(pool: Pool): Promise<AuditPosition | undefined> {
  const { rows } = await pool.query<{ position: string | null; at: string | null }>(
    `SELECT applied_position::text AS position,
      (SELECT at::text FROM audit.event WHERE event.position = applied_position) AS at
    FROM recovery.checkpoint WHERE group_name = $1`,
    [auditGroup.name],
  );
  const [row] = rows;
  if (!row || row.position === null) return undefined;
  return { position: BigInt(row.position), at: row.at === null ? null : Number(row.at) };
}
