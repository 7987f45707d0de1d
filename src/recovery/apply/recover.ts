import type { ClientBase } from 'pg';
import { rejectOlderVersions, versionsOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { RateMeter } from '../../../projections/incarnations/building/rate-meter.js';
import { quarantine } from '../../../projections/incarnations/incarnation.js';
import { readBothLedgers } from '../../../projections/incarnations/detect/read-ledgers.js';
import type { LoggedRestrictions } from '../../../projections/incarnations/detect/read-ledgers.js';
import { missingRestrictions } from '../../../projections/incarnations/detect/full-comparison.js';
import { networkOf } from '../../../projections/incarnations/network-identity.js';
import { checkPreconditions, describeLogMismatch } from '../plan/preconditions.js';
import { retryWhileUnavailable } from '../../log/retry-while-unavailable.js';
import { reapply } from './reapply.js';
import { reseedWitness } from './reseed.js';
import { beginAuthorityRebuild } from '../../../projections/incarnations/authority-rebuild.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { witnessStatus } from '../plan/recovery-status.js';
import { buildAndPublish } from '../../../projections/incarnations/build-and-publish.js';
import type { JobContext } from '../../../projections/jobs/job-context.js';
import { JobError } from '../../../projections/jobs/job-error.js';
import { clearTables, isDerived, rederiveAuthority } from './rederive-authority.js';
import type { Job } from '../../../projections/jobs/job.js';

/**
 * Tries for one restriction while log or witness is unavailable: over a minute with their timeouts. After that the job
 * starts again from its first step.
 */
const TRIES = 30;

/**
 * Recovers the network: appends the missing restrictions, rebuilds the authority store, builds and
 * verifies read models, and publishes them as serving. Every step is idempotent and repeats after a crash.
 * @throws {JobError} an operator must act first. Faults of log, witness and Postgres pass through.
 */
export async function recover(job: Job, context: JobContext): Promise<string> {
  const { client, log, witness, group, fixedGroups, now, signal, report } = context;
  const state = await readPublicationState(client);
  if (state) rejectOlderVersions(versionsOf(group), state.versions, `Incarnation ${state.incarnation}`);
  const networkId = await networkOf(log);
  const mismatch = describeLogMismatch(networkId, state?.networkId);
  if (networkId === undefined || mismatch !== undefined) throw new JobError(mismatch ?? 'The log is empty.');
  if (state?.status === 'serving')
    await quarantine(client, state.incarnation, 'An operator started a recovery.');

  const ledgers = await readBothLedgers(log, witness, signal);
  const problem = checkPreconditions(
    await witnessStatus({ database: client, log, witness }, ledgers, state, signal),
    job.reseedWitness,
  );
  if (problem !== undefined) throw new JobError(problem);
  // With nothing published, no quarantine protects the authority store. The log may soon be complete while
  // its rows are stale.
  await beginAuthorityRebuild(client, job.updatedAt);
  if (job.reseedWitness)
    await reseedWitness(log, witness, now, signal, (done) =>
      report({ step: 'reseeding the witness from the log', done, total: null, rate: null }),
    );
  const count = await reapplyMissing(ledgers.logged, context);
  await resetOtherCheckpoints(client, fixedGroups);
  for (const group of fixedGroups)
    await (isDerived(group) ? clearTables(group, context) : rederiveAuthority(group, context));
  return buildAndPublish(job, context, {
    networkId,
    instead: state?.incarnation,
    from: state ? 'quarantined' : 'serving',
    done: [`restrictions reapplied: ${count}`],
  });
}

/**
 * Resets the checkpoints of groups that only other releases have: this release cannot tell whether the log has the
 * events that those groups applied.
 */
async function resetOtherCheckpoints(client: ClientBase, groups: readonly Group[]): Promise<void> {
  await client.query(
    `UPDATE recovery.checkpoint SET applied_position = NULL, applied_event_id = NULL
    WHERE group_name <> ALL ($1)`,
    [groups.map(({ name }) => name)],
  );
}

async function reapplyMissing(logged: LoggedRestrictions, context: JobContext): Promise<number> {
  const { witness, signal, report } = context;
  const rateMeter = new RateMeter();
  let count = 0;
  for await (const witnessed of missingRestrictions(logged, witness)) {
    signal.throwIfAborted();
    await retryWhileUnavailable(() => reapply(witnessed, context), TRIES, signal);
    count += 1;
    const rate = rateMeter.of(count);
    report({ step: 'reapplying missing restrictions', done: count, total: null, rate });
  }
  return count;
}
