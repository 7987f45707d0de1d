import { isDeepStrictEqual } from 'node:util';
import { versionsOf } from '../runner/projection.js';
import type { Group } from '../runner/projection.js';
import { networkOf } from './network-identity.js';
import { readPublicationState } from './recovery-state.js';
import type { PublicationState } from './recovery-state.js';
import { buildAndPublish } from './build-and-publish.js';
import type { JobContext } from '../jobs/job-context.js';
import { JobError } from '../jobs/job-error.js';
import { reapplyGroup } from './fixed-groups.js';
import type { Job } from '../jobs/job.js';

/**
 * Rebuilds read models while reads go on. The serving projections share one position, so naming one rebuilds
 * all of them in a new incarnation. Groups with tables of their own apply all events again.
 * @throws {JobError} a rebuild is not possible now. Faults of log and Postgres pass through.
 */
export async function rebuild(job: Job, context: JobContext): Promise<string> {
  const { group, fixedGroups } = context;
  const isNamed = (each: Group) => each.projections.some(({ name }) => job.names.includes(name));
  const summaries: string[] = [];
  for (const fixedGroup of fixedGroups.filter(isNamed)) {
    await reapplyGroup(fixedGroup, job, context);
    summaries.push(`${fixedGroup.name}: all events were applied again`);
  }
  if (job.names.length === 0 || isNamed(group)) return rebuildServing(job, context, summaries);
  const done = summaries.join('; ');
  await context.conclude(context.client, done);
  return done;
}

async function rebuildServing(job: Job, context: JobContext, done: readonly string[]): Promise<string> {
  const { networkId, incarnation: instead } = await servingState(context);
  context.takesPlaceOf(instead);
  return buildAndPublish(job, context, { networkId, instead, from: 'serving', done });
}

async function servingState({ client, group, log }: JobContext): Promise<PublicationState> {
  const state = await readPublicationState(client);
  if (!state)
    throw new JobError(
      'A rebuild is not possible: nothing is published yet. A worker is making the first build.',
    );
  if (state.status === 'quarantined')
    throw new JobError(
      `The network is in quarantine (${state.reason}): run plaza recovery plan, then plaza recovery apply.`,
    );
  if (!isDeepStrictEqual(state.versions, versionsOf(group)))
    throw new JobError(
      'The published read models have other versions than this worker: a deployment is under way and rebuilds them.',
    );
  if ((await networkOf(log)) !== state.networkId)
    throw new JobError(
      'The log belongs to another network than the published read models; nothing was built. See plaza recovery status.',
    );
  return state;
}
