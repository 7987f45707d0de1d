import type { ClientBase } from 'pg';
import type { Group } from '../../projections/runner/projection.js';
import { fixedSchemaTarget } from '../../projections/runner/target.js';
import type { Target } from '../../projections/runner/target.js';
import type { EventLog } from '../log/event-log.js';
import { quarantineIfRolledBack } from '../recovery/detect/log-rollback.js';

/**
 * {@link fixedSchemaTarget} of a group. If the log lacks the event at the group's checkpoint, the whole network enters
 * quarantine.
 */
export async function quarantiningTarget(
  log: EventLog,
  client: ClientBase,
  group: Group,
  schema: string,
): Promise<Target> {
  return {
    ...(await fixedSchemaTarget(client, group, schema)),
    onLogReplaced: (onClient, reason) => quarantineIfRolledBack(onClient, log, reason),
  };
}
