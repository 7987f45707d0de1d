import type { Pool } from 'pg';
import { z } from 'zod';
import { LogReplaced, LogUnavailable } from '../src/log/event-log.js';
import type { Checkpoint, EventLog } from '../src/log/event-log.js';
import { groups, serving } from './groups.js';
import { eventTypesOf } from './runner/projection.js';
import type { Group } from './runner/projection.js';

const PROBE_MS = 1_000;
const HEARTBEAT_SECONDS = 10;

const projectionShape = z.strictObject({
  name: z.string(),
  version: z.number(),
  position: z.number().nullable(),
  /**
   * 0: every event of the group's types is applied, whatever other events follow in the log.
   * Otherwise: the bytes of log that the group must still read (positions are byte offsets).
   * If the log takes longer than a second to find the next event, the worker's heartbeat decides.
   * Null: the log does not answer, or ends before the checkpoint: then it is not the log that was applied.
   */
  lag: z.number().nullable(),
  stopped: z
    .strictObject({ reason: z.string(), position: z.number().nullable(), eventId: z.string().nullable() })
    .optional(),
});

/** `quarantine`: its reason; null: the network is not in quarantine. */
export const projectionStatusShape = z.strictObject({
  incarnation: z.string().nullable(),
  quarantine: z.string().nullable(),
  projections: z.array(projectionShape).readonly(),
});

export type ProjectionState = z.infer<typeof projectionShape>;
export type ProjectionStatus = z.infer<typeof projectionStatusShape>;

interface Row {
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

const checkpointsSql = `
  SELECT NULL AS group_name, incarnation, publication.reason AS quarantine, versions, applied_position, applied_event_id,
    stopped_at_position, stopped_event_id, stopped_reason
  FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
  UNION ALL
  SELECT group_name, NULL, NULL, versions, applied_position, applied_event_id,
    stopped_at_position, stopped_event_id, stopped_reason
  FROM recovery.checkpoint`;

/**
 * Returns the published incarnation (null before the first publication) and each projection's position and lag. Rejects
 * if the read store is unreachable.
 */
export async function projectionStatus(pool: Pool, log: EventLog): Promise<ProjectionStatus> {
  const { rows } = await pool.query<Row>(checkpointsSql);
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

async function groupsCaughtUp(pool: Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ group_name: string }>(
    'SELECT group_name FROM recovery.heartbeat WHERE caught_up AND beat_at > now() - make_interval(secs => $1)',
    [HEARTBEAT_SECONDS],
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

function stopOf(row: Row | undefined): Pick<ProjectionState, 'stopped'> {
  if (!row || row.stopped_reason === null) return {};
  const position = row.stopped_at_position === null ? null : Number(row.stopped_at_position);
  return { stopped: { reason: row.stopped_reason, position, eventId: row.stopped_event_id } };
}

/** Asks the log for the next event of the group: the log's newest event may be of a type that no projection handles. */
async function lagOf(
  group: Group,
  after: Checkpoint | undefined,
  log: EventLog,
  caughtUp: boolean,
): Promise<number | null> {
  try {
    const head = await log.head();
    if (head === after?.position) return 0;
    if (head === undefined || head < (after?.position ?? 0n)) return null;
    const behind = Math.max(1, Number(head - (after?.position ?? 0n)));
    const signal = AbortSignal.timeout(PROBE_MS);
    // Not decoded: an event that cannot be read is behind, too.
    for await (const { events } of log.references({
      after,
      types: eventTypesOf(group),
      batchSize: 1,
      signal,
    }))
      return events.length === 0 ? 0 : behind;
    return caughtUp ? 0 : behind;
  } catch (error) {
    if (error instanceof LogUnavailable || error instanceof LogReplaced) return null;
    throw error;
  }
}
