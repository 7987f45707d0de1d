import { dispatch, typesOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { UnitOfWork } from '../../../projections/runner/unit-of-work.js';
import { WorkerConnection } from '../../../projections/runner/worker-connection.js';
import type { Recorded } from '../../log/recorded.js';
import { PUBLICATION_CHANNEL } from '../incarnation.js';
import type { JobContext } from './context.js';

const BATCH_SIZE = 1_000;

/**
 * What the rows say of the log becomes what they say before its first event. What is in no log stays: who somebody is, that
 * they were erased, that a grant has ended.
 */
const forget = `
  UPDATE authority.account SET handle = NULL, email = '', state = 'active', revision = -1, profile_revision = 1,
    handle_revision = 1
  WHERE state <> 'erased';
  UPDATE authority.application SET state = 'active', registered_at = NULL, revision = -1;
  UPDATE authority.app_grant SET scopes = '{}';
  UPDATE authority.publishing SET paused = false, revision = -1`;

/** What the log does not know was granted or registered in the part of it that is lost. */
const removeUnknown = `
  DELETE FROM authority.account WHERE email = '' AND revision = -1 AND state <> 'erased';
  DELETE FROM authority.application WHERE registered_at IS NULL AND revision = -1;
  DELETE FROM authority.app_grant WHERE scopes = '{}' AND revoked_at IS NULL`;

/**
 * Derives who may act from the log anew, where that was set back: the rows may show what it has lost, and under revisions that
 * later events have now. In one transaction, so that nobody's authority is seen half done.
 * @throws what log and Postgres throw; nothing is changed then.
 */
export async function rederiveAuthority(group: Group, context: JobContext): Promise<void> {
  const { databaseUrl, log, signal, report } = context;
  const connection = await WorkerConnection.open(databaseUrl, 'plaza-job');
  const { client } = connection;
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`);
    // The group's worker waits here, and then finds that others were at it.
    await client.query('SELECT FROM recovery.checkpoint WHERE group_name = $1 FOR UPDATE', [group.name]);
    await client.query(forget);
    const head = Number((await log.head()) ?? 0n);
    const begun = performance.now();
    const hand = dispatch(group);
    let last: Recorded | undefined;
    const all = { after: undefined, types: typesOf(group), batchSize: BATCH_SIZE, signal };
    for await (const { events, caughtUp } of log.subscribe(all)) {
      const work = new UnitOfWork();
      for (const recorded of events) hand(recorded, work.write);
      await work.flush(client);
      last = events.at(-1) ?? last;
      const done = Number(last?.position ?? 0n);
      const rate = done / ((performance.now() - begun) / 1_000);
      report({ step: 'deriving accounts, applications and grants', done, total: head, rate });
      if (caughtUp) break;
    }
    signal.throwIfAborted();
    await client.query(removeUnknown);
    await client.query(
      `UPDATE recovery.checkpoint SET applied_position = $2, applied_event_id = $3,
        stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL WHERE group_name = $1`,
      [group.name, last ? String(last.position) : null, last?.id ?? null],
    );
    await client.query(`SELECT pg_notify('${PUBLICATION_CHANNEL}', $1)`, [group.name]);
    await client.query('COMMIT');
  } finally {
    // Rolls back what is not committed.
    await connection.close();
  }
}

/** The audit shows the log as it is: what it has lost would stand between what comes at the same positions. */
export async function emptyAudit(group: Group, { client }: JobContext): Promise<void> {
  await client.query(`BEGIN; TRUNCATE audit.event, audit.about`);
  await client.query(
    `UPDATE recovery.checkpoint SET applied_position = NULL, applied_event_id = NULL,
      stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL WHERE group_name = $1`,
    [group.name],
  );
  await client.query(`SELECT pg_notify('${PUBLICATION_CHANNEL}', $1)`, [group.name]);
  await client.query('COMMIT');
}
