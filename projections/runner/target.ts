import type { ClientBase } from 'pg';
import { CheckpointStore } from './checkpoint-store.js';
import { refuseOlder, versionsOf } from './projection.js';
import type { Group, Versions } from './projection.js';

/** Where a group's rows go and how far it came. */
export interface Target {
  /** Schema in which the statements find their tables. */
  readonly schema: string;
  readonly progress: CheckpointStore;
  /** What comes before events are applied one batch after the other: bringing tables that nobody reads yet to the end of the log. */
  build?(signal: AbortSignal): Promise<void>;
  /** The end of the log is reached. Called every time that it is, and again and again while nothing new comes. */
  caughtUp(client: ClientBase): Promise<void>;
  /** The log is not the one that these rows came from. Called before the group stops. */
  replaced(client: ClientBase, reason: string): Promise<void>;
}

/**
 * The target of a group whose tables are in a fixed schema, outside of any incarnation: all versions of the group share
 * them, and the group's lock. After a version was raised, every event is applied once more.
 * @throws {Outdated} a later version has been here.
 */
export async function fixedTarget(client: ClientBase, group: Group, schema: string): Promise<Target> {
  const versions = versionsOf(group);
  await client.query(
    'INSERT INTO recovery.checkpoint (group_name, versions) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [group.name, versions],
  );
  const { rows } = await client.query<{ versions: Versions }>(
    'SELECT versions FROM recovery.checkpoint WHERE group_name = $1',
    [group.name],
  );
  refuseOlder(versions, rows[0]?.versions ?? {}, `The progress of ${group.name}`);
  await client.query(
    `UPDATE recovery.checkpoint SET versions = $2, applied_position = NULL, applied_event_id = NULL
    WHERE group_name = $1 AND versions <> $2`,
    [group.name, versions],
  );
  return {
    schema,
    progress: CheckpointStore.ofGroup(group.name),
    caughtUp: () => Promise.resolve(),
    replaced: () => Promise.resolve(),
  };
}
