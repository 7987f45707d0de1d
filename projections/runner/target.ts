import type { ClientBase } from 'pg';
import { CheckpointStore } from './checkpoint-store.js';
import { rejectOlderVersions, versionsOf } from './projection.js';
import type { Group, Versions } from './projection.js';

export interface Target {
  readonly schema: string;
  readonly checkpoints: CheckpointStore;
  /** Brings unpublished tables to the end of the log, before single batches are applied. */
  build?(signal: AbortSignal): Promise<void>;
  /** Called whenever the end of the log is reached, and repeatedly while the log is idle. */
  onCaughtUp(client: ClientBase): Promise<void>;
  /** Called every few seconds while a backlog is applied. */
  onBacklog?(client: ClientBase): Promise<void>;
  onLogReplaced(client: ClientBase, reason: string): Promise<void>;
}

/**
 * Returns the target of a group whose tables are in a fixed schema, outside of any incarnation. All versions of the
 * group share the tables and the group's lock. A raised version applies every event again.
 * @throws {VersionTooOldError} A later version has written the tables.
 */
export async function fixedSchemaTarget(client: ClientBase, group: Group, schema: string): Promise<Target> {
  const versions = versionsOf(group);
  await client.query(
    'INSERT INTO recovery.checkpoint (group_name, versions) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [group.name, versions],
  );
  const { rows } = await client.query<{ versions: Versions }>(
    'SELECT versions FROM recovery.checkpoint WHERE group_name = $1',
    [group.name],
  );
  rejectOlderVersions(versions, rows[0]?.versions ?? {}, `The checkpoint of ${group.name}`);
  await client.query(
    `UPDATE recovery.checkpoint SET versions = $2, applied_position = NULL, applied_event_id = NULL
    WHERE group_name = $1 AND versions <> $2`,
    [group.name, versions],
  );
  return {
    schema,
    checkpoints: CheckpointStore.ofGroup(group.name),
    onCaughtUp: () => Promise.resolve(),
    onLogReplaced: () => Promise.resolve(),
  };
}
