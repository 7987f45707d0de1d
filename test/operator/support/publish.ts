import { auditGroup } from '../../../projections/audit/audit.projection.js';
import { serving } from '../../../projections/groups.js';
import { Applier } from '../../../projections/runner/applier.js';
import { CheckpointStore } from '../../../projections/runner/checkpoint-store.js';
import { dispatcherOf, eventTypesOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { fixedSchemaTarget } from '../../../projections/runner/target.js';
import type { Desk } from '../../support/desk.js';

/** The published incarnation of a {@link Desk}, and its schema. */
const [INCARNATION, SCHEMA] = ['i', 'inc_i'];

/** Builds the read models of the log as it is, and applies what is new to the audit. */
export async function publish({ log, services: { pool } }: Desk): Promise<void> {
  const client = await pool.connect();
  const apply = async (group: Group, schema: string, checkpoints: CheckpointStore) => {
    await client.query(`SET search_path = ${schema}`);
    const after = await checkpoints.read(client);
    const applier = new Applier(client, checkpoints, dispatcherOf(group), after);
    const { signal } = new AbortController();
    for await (const { events, caughtUp } of log.subscribe({
      after,
      types: eventTypesOf(group),
      batchSize: 1_000,
      signal,
    })) {
      await applier.apply(events);
      if (caughtUp) break;
    }
  };
  try {
    await client.query(
      `DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE; CREATE SCHEMA ${SCHEMA}; SET search_path = ${SCHEMA}`,
    );
    for (const { tables } of serving.projections) await client.query(tables);
    for (const { indexes } of serving.projections) if (indexes) await client.query(indexes);
    await client.query('UPDATE recovery.incarnation SET applied_position = NULL, applied_event_id = NULL');
    await apply(serving, SCHEMA, CheckpointStore.ofIncarnation(INCARNATION));
    const { checkpoints } = await fixedSchemaTarget(client, auditGroup, 'audit');
    await apply(auditGroup, 'audit', checkpoints);
  } finally {
    await client.query('RESET search_path');
    client.release();
  }
}
