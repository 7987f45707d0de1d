import type { ClientBase, Pool } from 'pg';
import { LogReplaced } from '../../log/event-log.js';
import type { Checkpoint, EventLog } from '../../log/event-log.js';
import { verifyRepeatedly } from '../../log/look-again.js';
import { quarantine } from '../../incarnations/incarnation.js';
import { networkOf } from '../../incarnations/network-identity.js';
import { readPublicationState } from '../../incarnations/recovery-state.js';

/** Which log the read store was filled from. */
export interface Origin {
  /** Undefined: nothing is published. */
  readonly networkId: string | undefined;
  /** The newest applied event of what is published and of each group with tables of its own. */
  readonly checkpoints: readonly GroupCheckpoint[];
}

export interface GroupCheckpoint extends Checkpoint {
  /** Whose it is, in words for an operator. */
  readonly owner: string;
}

interface Row {
  readonly network_id: string | null;
  readonly group_name: string | null;
  readonly applied_position: string | null;
  readonly applied_event_id: string | null;
}

const originSql = `
  SELECT network_id, NULL AS group_name, applied_position, applied_event_id
  FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
  UNION ALL
  SELECT NULL, group_name, applied_position, applied_event_id FROM recovery.checkpoint
  ORDER BY group_name NULLS FIRST`;

export async function readOrigin(database: Pool | ClientBase): Promise<Origin> {
  const { rows } = await database.query<Row>(originSql);
  return {
    networkId: rows.find((row) => row.network_id !== null)?.network_id ?? undefined,
    checkpoints: rows.flatMap(({ group_name, applied_position, applied_event_id }) =>
      applied_position === null || applied_event_id === null
        ? []
        : {
            owner: group_name === null ? 'what is published' : `projection group ${group_name}`,
            position: BigInt(applied_position),
            eventId: applied_event_id,
          },
    ),
  };
}

/**
 * Why this cannot be the log that the read store was filled from, in words for an operator (recovery.md, "When does
 * quarantine begin"). Undefined: it is; a read store that is behind is no fault. Rejects when `signal` aborts.
 * @throws {LogUnavailable}
 */
export async function detectLogRollback(
  log: EventLog,
  { networkId, checkpoints }: Origin,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const foreign = await verifyRepeatedly(
    () => log.reconnect(),
    async () => foreignNetwork(await networkOf(log), networkId),
    signal,
  );
  if (foreign !== undefined) return foreign;
  for (const { owner, ...checkpoint } of checkpoints) {
    const { position, eventId } = checkpoint;
    try {
      await log.verify(checkpoint, signal);
    } catch (error) {
      if (!(error instanceof LogReplaced)) throw error;
      const head = await log.head();
      return head === undefined || head < position
        ? `The log was set back: it ends at position ${head ?? 'none'}, while ${owner} shows it up to position ${position}, event ${eventId}.`
        : `The log was set back and written on, or replaced: at position ${position} it has another event than ${eventId}, which ${owner} shows. ${error.message}`;
    }
  }
  return undefined;
}

const foreignNetwork = (found: string | undefined, published: string | undefined): string | undefined =>
  published === undefined || found === published
    ? undefined
    : `The log ${found === undefined ? 'has no network' : `is that of network ${found}`}; what is published shows network ${published}.`;

/**
 * Puts what is published into quarantine if this cannot be the log that it came from. `otherwise`: for this reason even
 * if it looks like that log now. @throws {LogUnavailable}
 */
export async function quarantineIfRolledBack(
  client: ClientBase,
  log: EventLog,
  otherwise?: string,
): Promise<void> {
  const state = await readPublicationState(client);
  if (!state) return;
  const reason = (await detectLogRollback(log, await readOrigin(client))) ?? otherwise;
  if (reason !== undefined) await quarantine(client, state.incarnation, reason);
}
