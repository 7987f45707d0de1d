import type { ClientBase } from 'pg';
import { refuseOlder, versionsOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import { RateMeter } from '../../incarnations/building/rate-meter.js';
import { quarantine } from '../../incarnations/incarnation.js';
import { readBothLedgers } from '../detect/both-ledgers.js';
import type { Logged } from '../detect/both-ledgers.js';
import { missingRestrictions } from '../detect/full-comparison.js';
import { networkOf } from '../../incarnations/network-identity.js';
import { checkPreconditions } from '../plan/preconditions.js';
import { retryWhileUnavailable } from './patiently.js';
import { reapply } from './reapply.js';
import { reseedWitness } from './reseed.js';
import { beginAuthorityRebuild } from '../../incarnations/authority-rebuild.js';
import { readPublicationState } from '../../incarnations/recovery-state.js';
import { witnessStatus } from '../plan/recovery-status.js';
import { buildAndPublish } from '../../incarnations/build-and-publish.js';
import type { JobContext } from '../../jobs/job-context.js';
import { JobError } from '../../jobs/job-error.js';
import { emptyAudit, rederiveAuthority } from './rederive-authority.js';
import type { Job } from '../../jobs/job.js';

/** Of each restriction that is applied again: a minute and more, after which all is begun anew. */
const TRIES = 30;

/**
 * Leads out of a quarantine: what was taken away and the log has lost is taken away again, from the witness; who may act is
 * derived anew; read models are built from the log as it is, verified, and published as serving. Every step may be
 * repeated, and is when the job was cut off.
 * @throws {JobError} it must not go on. What log, witness and Postgres throw.
 */
export async function recover(job: Job, context: JobContext): Promise<string> {
  const { client, log, witness, group, fixedGroups, now, signal, report } = context;
  const state = await readPublicationState(client);
  if (state) refuseOlder(versionsOf(group), state.versions, `Incarnation ${state.incarnation}`);
  const networkId = await networkOf(log);
  const why = whyNotThisLog(networkId, state?.networkId);
  if (networkId === undefined || why !== undefined) throw new JobError(why ?? 'The log is empty.');
  if (state?.status === 'serving')
    await quarantine(client, state.incarnation, 'An operator recovers the network.');

  // What was found when it was asked for may have changed since.
  const both = await readBothLedgers(log, witness, signal);
  const objection = checkPreconditions(
    await witnessStatus({ database: client, log, witness }, both, state, signal),
    job.reseedWitness,
  );
  if (objection !== undefined) throw new JobError(objection);
  // With nothing published, there is no quarantine: the log may soon have all, and rows that are acted by may not.
  await beginAuthorityRebuild(client, job.updatedAt);
  if (job.reseedWitness)
    await reseedWitness(log, witness, now, signal, (done) =>
      report({ step: 'telling the witness what the log has', done, total: null, rate: null }),
    );
  const count = await reapplyMissing(both.logged, context);
  await forgetOtherGroups(client, fixedGroups);
  for (const group of fixedGroups)
    await (group.name === 'audit' ? emptyAudit(group, context) : rederiveAuthority(group, context));
  return buildAndPublish(job, context, {
    networkId,
    instead: state?.incarnation,
    from: state ? 'quarantined' : 'serving',
    done: [`restrictions applied again: ${count}`],
  });
}

/** Groups of other releases: they begin anew, since nobody can tell whether this log has what they have applied. */
async function forgetOtherGroups(client: ClientBase, groups: readonly Group[]): Promise<void> {
  await client.query(
    `UPDATE recovery.checkpoint SET applied_position = NULL, applied_event_id = NULL
    WHERE group_name <> ALL ($1)`,
    [groups.map(({ name }) => name)],
  );
}

/** In the order of their numbers, so that everything stands as it stood. */
async function reapplyMissing(logged: Logged, context: JobContext): Promise<number> {
  const { witness, signal, report } = context;
  const pace = new RateMeter();
  let count = 0;
  for await (const witnessed of missingRestrictions(logged, witness)) {
    signal.throwIfAborted();
    await retryWhileUnavailable(() => reapply(witnessed, context), TRIES, signal);
    count += 1;
    const rate = pace.of(count);
    report({ step: 'applying lost restrictions again', done: count, total: null, rate });
  }
  return count;
}

/** What to do where the log is another network's, or nobody's; undefined: it is the right one. */
export function whyNotThisLog(found: string | undefined, published: string | undefined): string | undefined {
  if (found === undefined)
    return 'The log is empty: restore it from a backup (plaza restore), or start with an empty read store.';
  if (published === undefined || found === published) return undefined;
  return `The log is that of network ${found}, and the read store shows network ${published}: point EVENTSTORE_URL or DATA_DIR at the right log, or DATABASE_URL at the right read store. Nothing was changed.`;
}
