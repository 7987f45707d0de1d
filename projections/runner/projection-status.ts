import type { Pool } from 'pg';
import { LogReplaced, LogUnavailable } from '../../src/log/event-log.js';
import type { Checkpoint, EventLog } from '../../src/log/event-log.js';
import { groups, serving } from '../groups.js';
import { typesOf } from './projection.js';
import type { Group } from './projection.js';

const PROBE_MS = 1_000;
/** Workers are heard of several times within it. */
const HEARD_SECONDS = 10;

/** Why a group stands still: the event that it cannot apply, where it is one event. */
export interface Stopped {
  readonly reason: string;
  readonly position: number | null;
  readonly eventId: string | null;
}

export interface ProjectionState {
  readonly name: string;
  readonly version: number;
  /** Position in the log of the newest event that is applied; null: none. */
  readonly position: number | null;
  /**
   * 0 when every event that this projection's group handles is applied, whatever else stands in the log behind them.
   * Otherwise the bytes of log (positions are byte offsets) that are still to be gone through. Where the log takes longer
   * than a second to find what waits, the group's worker has the word. Null: the log does not answer, or is not the one
   * that was applied.
   */
  readonly lag: number | null;
  readonly stopped?: Stopped;
}

export interface ProjectionStatus {
  /** The published one; null before the first is published. */
  readonly incarnation: string | null;
  /** Why nobody is shown it, in words; null: it is shown. */
  readonly quarantine: string | null;
  readonly projections: readonly ProjectionState[];
}

interface Row {
  /** Null for the published incarnation. */
  readonly group_name: string | null;
  readonly incarnation: string | null;
  readonly quarantine: string | null;
  readonly versions: Record<string, number> | null;
  readonly applied_position: string | null;
  readonly applied_event_id: string | null;
  readonly stopped_at_position: string | null;
  readonly stopped_event_id: string | null;
  readonly stopped_reason: string | null;
}

const progressSql = `
  SELECT NULL AS group_name, incarnation, publication.reason AS quarantine, versions, applied_position, applied_event_id,
    stopped_at_position, stopped_event_id, stopped_reason
  FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
  UNION ALL
  SELECT group_name, NULL, NULL, versions, applied_position, applied_event_id,
    stopped_at_position, stopped_event_id, stopped_reason
  FROM recovery.checkpoint`;

/** What is published and how far each projection came. Rejects if the read store cannot be reached. */
export async function projectionStatus(pool: Pool, log: EventLog): Promise<ProjectionStatus> {
  const { rows } = await pool.query<Row>(progressSql);
  const caughtUp = await groupsCaughtUp(pool);
  const states = await Promise.all(
    groups.map((group) => {
      const row = rows.find(({ group_name }) => group_name === (group === serving ? null : group.name));
      return statesOf(group, row, log, caughtUp.has(group.name));
    }),
  );
  const published = rows.find(({ group_name }) => group_name === null);
  return {
    incarnation: published?.incarnation ?? null,
    quarantine: published?.quarantine ?? null,
    projections: states.flat(),
  };
}

/** Names of those whose workers said just now that they have applied all. */
async function groupsCaughtUp(pool: Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ group_name: string }>(
    'SELECT group_name FROM recovery.heartbeat WHERE caught_up AND beat_at > now() - make_interval(secs => $1)',
    [HEARD_SECONDS],
  );
  return new Set(rows.map(({ group_name }) => group_name));
}

async function statesOf(
  group: Group,
  row: Row | undefined,
  log: EventLog,
  caughtUp: boolean,
): Promise<ProjectionState[]> {
  const at = checkpointOf(row);
  const common = {
    position: at ? Number(at.position) : null,
    lag: await lagOf(group, at, log, caughtUp),
    ...stopOf(row),
  };
  return group.projections.map(({ name, version }) => ({
    name,
    version: row?.versions?.[name] ?? version,
    ...common,
  }));
}

function checkpointOf(row: Row | undefined): Checkpoint | undefined {
  if (!row || row.applied_position === null || row.applied_event_id === null) return undefined;
  return { position: BigInt(row.applied_position), eventId: row.applied_event_id };
}

function stopOf(row: Row | undefined): { stopped?: Stopped } {
  if (!row || row.stopped_reason === null) return {};
  const position = row.stopped_at_position === null ? null : Number(row.stopped_at_position);
  return { stopped: { reason: row.stopped_reason, position, eventId: row.stopped_event_id } };
}

/** Asks the log itself for the first event that waits: its newest one may be of a type that nobody here handles. */
async function lagOf(
  group: Group,
  after: Checkpoint | undefined,
  log: EventLog,
  caughtUp: boolean,
): Promise<number | null> {
  try {
    const head = await log.head();
    if (head === undefined || head === after?.position) return 0;
    const behind = Math.max(1, Number(head - (after?.position ?? 0n)));
    const signal = AbortSignal.timeout(PROBE_MS);
    for await (const { events } of log.subscribe({ after, types: typesOf(group), batchSize: 1, signal }))
      return events.length === 0 ? 0 : behind;
    return caughtUp ? 0 : behind;
  } catch (error) {
    if (error instanceof LogUnavailable || error instanceof LogReplaced) return null;
    throw error;
  }
}
