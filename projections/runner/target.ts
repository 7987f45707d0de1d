import type { ClientBase } from 'pg';
import { Progress } from './progress.js';

/** Where a group's rows go and how far it came. */
export interface Target {
  /** Schema in which the statements find their tables. */
  readonly schema: string;
  readonly progress: Progress;
  /** The end of the log is reached. Called every time that it is. */
  caughtUp(client: ClientBase): Promise<void>;
  /** The log is not the one that these rows came from. Called before the group stops. */
  replaced(client: ClientBase, reason: string): Promise<void>;
}

/** The target of a group whose tables are in a fixed schema, outside of any incarnation. */
export async function fixedTarget(client: ClientBase, groupName: string, schema: string): Promise<Target> {
  await client.query('INSERT INTO recovery.checkpoint (group_name) VALUES ($1) ON CONFLICT DO NOTHING', [
    groupName,
  ]);
  return {
    schema,
    progress: Progress.ofGroup(groupName),
    caughtUp: () => Promise.resolve(),
    replaced: () => Promise.resolve(),
  };
}
