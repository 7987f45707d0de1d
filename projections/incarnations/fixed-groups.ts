import { CheckpointStore } from '../runner/checkpoint-store.js';
import { eventTypesOf, versionsOf } from '../runner/projection.js';
import type { Group } from '../runner/projection.js';
import type { Checkpoint } from '../../src/log/event-log.js';
import { inTransaction } from '../../src/base/store/transaction.js';
import { sleep } from '../../src/base/support/sleep.js';
import { RateMeter } from './building/rate-meter.js';
import { PUBLICATION_CHANNEL } from './incarnation.js';
import type { JobContext } from '../jobs/job-context.js';
import type { Job } from '../jobs/job.js';

const POLL_MS = 200;

type Tools = Pick<JobContext, 'client' | 'log' | 'signal' | 'report'>;

/**
 * Makes the worker of a group with tables of its own apply every event again over the existing rows, and waits for the
 * end. The job's step records that this began, so that a resumed job does not begin again.
 */
export async function reapplyGroup(
  group: Group,
  job: Pick<Job, 'id' | 'step'>,
  context: Tools,
): Promise<void> {
  const { client, log, signal, report } = context;
  const step = `applying every event to ${group.name} once more`;
  if (job.step !== step) {
    await inTransaction(client, async () => {
      await client.query(
        `INSERT INTO recovery.checkpoint (group_name, versions) VALUES ($1, $2) ON CONFLICT (group_name) DO UPDATE
      SET applied_position = NULL, applied_event_id = NULL,
        stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL`,
        [group.name, versionsOf(group)],
      );
      await client.query('UPDATE recovery.job SET step = $2 WHERE id = $1', [job.id, step]);
      await client.query(`SELECT pg_notify('${PUBLICATION_CHANNEL}', $1)`, [group.name]);
    });
  }
  const head = (await log.head()) ?? 0n;
  const rateMeter = new RateMeter();
  for (;;) {
    const after = await CheckpointStore.ofGroup(group.name).read(client);
    if ((after?.position ?? -1n) >= head || !(await hasMore(group, after, context))) break;
    const done = Number(after?.position ?? 0n);
    report({ step, done, total: Number(head), rate: rateMeter.of(done) });
    await sleep(POLL_MS, signal);
    signal.throwIfAborted();
  }
  report({ step, done: Number(head), total: Number(head), rate: null });
}

async function hasMore(
  group: Group,
  after: Checkpoint | undefined,
  { log, signal }: Tools,
): Promise<boolean> {
  for await (const { events } of log.subscribe({ after, types: eventTypesOf(group), batchSize: 1, signal }))
    return events.length > 0;
  signal.throwIfAborted();
  return false;
}
