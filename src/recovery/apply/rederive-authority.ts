import type { ClientBase } from 'pg';
import { dispatcherOf, eventTypesOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { UnitOfWork } from '../../../projections/runner/unit-of-work.js';
import type { Recorded } from '../../log/recorded.js';
import { readUntilHead } from '../../log/read-until-head.js';
import { inTransaction } from '../../base/store/transaction.js';
import { BuildConnection } from '../../../projections/incarnations/building/build-connection.js';
import { RateMeter } from '../../../projections/incarnations/building/rate-meter.js';
import { CLEAR_AUTHORITY } from '../../base/store/authority/clear-authority.js';
import { PUBLICATION_CHANNEL } from '../../../projections/incarnations/incarnation.js';
import type { JobContext } from '../../../projections/jobs/job-context.js';

const BATCH_SIZE = 1_000;

type Tools = Pick<JobContext, 'databaseUrl' | 'log' | 'signal' | 'report'>;

/**
 * Derives the authority store anew from the log, in one transaction: after a log rollback, its rows may show lost
 * events, under revisions that later events now have.
 * @throws faults of log and Postgres; nothing is changed then.
 */
export async function rederiveAuthority(group: Group, context: Tools): Promise<void> {
  const { databaseUrl, signal } = context;
  const connection = await BuildConnection.open(databaseUrl, ['authority'], signal);
  try {
    await connection.endOthers();
    const client = await connection.forLoading();
    await connection.interruptibly(signal, () => deriveFromLog(client, group, context));
  } finally {
    await connection.close();
  }
}

async function deriveFromLog(
  client: ClientBase,
  group: Group,
  { log, signal, report }: Tools,
): Promise<void> {
  await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`);
  await client.query('SELECT FROM recovery.checkpoint WHERE group_name = $1 FOR UPDATE', [group.name]);
  await client.query(CLEAR_AUTHORITY);
  const head = Number((await log.head()) ?? 0n);
  const rateMeter = new RateMeter();
  const handle = dispatcherOf(group);
  let last: Recorded | undefined;
  const options = { types: eventTypesOf(group), batchSize: BATCH_SIZE, signal };
  for await (const events of readUntilHead(log, options)) {
    const work = new UnitOfWork();
    for (const recorded of events) handle(recorded, work.write);
    await work.flush(client);
    last = events.at(-1) ?? last;
    const done = Number(last?.position ?? 0n);
    const rate = rateMeter.of(done);
    report({ step: 'deriving accounts, applications and grants', done, total: head, rate });
  }
  await moveCheckpoint(client, group, last);
  await client.query('DELETE FROM authority.deriving; COMMIT');
}

async function moveCheckpoint(client: ClientBase, group: Group, last: Recorded | undefined): Promise<void> {
  await client.query(
    `UPDATE recovery.checkpoint SET applied_position = $2, applied_event_id = $3,
      stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL WHERE group_name = $1`,
    [group.name, last ? String(last.position) : null, last?.id ?? null],
  );
  await client.query(`SELECT pg_notify('${PUBLICATION_CHANNEL}', $1)`, [group.name]);
}

const clearedTables: Readonly<Record<string, string>> = {
  audit: 'audit.event, audit.about, audit.app_hour, audit.app_actor_hour, audit.app_actor',
  cases: 'cases.summary, cases.report',
};

/** True if all rows of the group come from the log, so that they can be deleted. */
export const isDerived = ({ name }: Group): boolean => Object.hasOwn(clearedTables, name);

export async function clearTables(group: Group, { client }: Pick<JobContext, 'client'>): Promise<void> {
  await inTransaction(client, async () => {
    // The checkpoint first, as the group's worker locks it: the reverse order would deadlock. The tables must
    // not show lost events among new ones at the same positions.
    await moveCheckpoint(client, group, undefined);
    await client.query(`TRUNCATE ${clearedTables[group.name]}`);
  });
}
