import type { ClientBase } from 'pg';
import type { Group } from '../runner/projection.js';
import { fixedSchemaTarget } from '../runner/target.js';
import type { Target } from '../runner/target.js';
import type { EventLog } from '../../src/log/event-log.js';
import { quarantineIfRolledBack } from './detect/log-rollback.js';

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
