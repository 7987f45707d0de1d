import type { ClientBase, Pool } from 'pg';
import { LogReplaced } from '../../../src/log/event-log.js';
import type { Checkpoint, EventLog } from '../../../src/log/event-log.js';
import { verifyRepeatedly } from '../../../src/log/verify-repeatedly.js';
import { quarantine } from '../incarnation.js';
import { networkOf } from '../network-identity.js';
import { readPublicationState } from '../recovery-state.js';

export interface ReadStoreOrigin {
  readonly networkId: string | undefined;
  readonly checkpoints: readonly GroupCheckpoint[];
}

export interface GroupCheckpoint extends Checkpoint {
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

export async function readStoreOrigin(database: Pool | ClientBase): Promise<ReadStoreOrigin> {
  const { rows } = await database.query<Row>(originSql);
  return {
    networkId: rows.find((row) => row.network_id !== null)?.network_id ?? undefined,
    checkpoints: rows.flatMap(({ group_name, applied_position, applied_event_id }) =>
      applied_position === null || applied_event_id === null
        ? []
        : {
            owner: group_name === null ? 'the published incarnation' : `projection group ${group_name}`,
            position: BigInt(applied_position),
            eventId: applied_event_id,
          },
    ),
  };
}

/**
 * Returns why this cannot be the log that filled the read store, for an operator (docs/recovery.md,
 * "Quarantine"); undefined if it is. A read store that lags is no fault.
 * @throws {LogUnavailable}; the reason of `signal`.
 */
export async function detectLogRollback(
  log: EventLog,
  { networkId, checkpoints }: ReadStoreOrigin,
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
        ? `The log was rolled back: it ends at position ${head ?? 'none'}, while ${owner} has applied events up to position ${position}, event ${eventId}.`
        : `The log was rolled back and written to since, or replaced: at position ${position} it has another event than ${eventId}, which ${owner} has applied. ${error.message}`;
    }
  }
  return undefined;
}

const foreignNetwork = (found: string | undefined, published: string | undefined): string | undefined =>
  published === undefined || found === published
    ? undefined
    : `The log ${found === undefined ? 'has no network' : `belongs to network ${found}`}; the published incarnation shows network ${published}.`;

/**
 * Quarantines the published incarnation after a log rollback; with `otherwise` as the reason if none is
 * detected.
 * @throws {LogUnavailable}
 */
export async function quarantineIfRolledBack(
  client: ClientBase,
  log: EventLog,
  otherwise?: string,
): Promise<void> {
  const state = await readPublicationState(client);
  if (!state) return;
  const reason = (await detectLogRollback(log, await readStoreOrigin(client))) ?? otherwise;
  if (reason !== undefined) await quarantine(client, state.incarnation, reason);
}
