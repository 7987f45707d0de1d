import { isDeepStrictEqual } from 'node:util';
import { versionsOf } from '../../projections/runner/projection.js';
import type { Group } from '../../projections/runner/projection.js';
import { networkOf } from './network-identity.js';
import { readPublicationState } from './recovery-state.js';
import type { PublicationState } from './recovery-state.js';
import { buildAndPublish } from './build-and-publish.js';
import type { JobContext } from '../jobs/job-context.js';
import { JobError } from '../jobs/job-error.js';
import { applyOnceMore } from './fixed-groups.js';
import type { Job } from '../jobs/job.js';

/**
 * Builds read models anew while reads go on. Those that answer reads share one position, so that any of them means all of
 * them, in a new incarnation; those with tables of their own have all events applied once more.
 * @throws {JobError} and what log and Postgres throw.
 */
export async function rebuild(job: Job, context: JobContext): Promise<string> {
  const { group, fixedGroups } = context;
  const named = (each: Group) => each.projections.some(({ name }) => job.names.includes(name));
  const said: string[] = [];
  for (const fixed of fixedGroups.filter(named)) {
    await applyOnceMore(fixed, job, context);
    said.push(`${fixed.name}: every event is applied once more`);
  }
  if (job.names.length === 0 || named(group)) return rebuildServing(job, context, said);
  const done = said.join('; ');
  await context.conclude(context.client, done);
  return done;
}

async function rebuildServing(job: Job, context: JobContext, done: readonly string[]): Promise<string> {
  const { networkId, incarnation: instead } = await servingState(context);
  context.takesPlaceOf(instead);
  return buildAndPublish(job, context, { networkId, instead, from: 'serving', done });
}

/** What is published, if a routine rebuild may take its place. @throws {JobError} */
async function servingState({ client, group, log }: JobContext): Promise<PublicationState> {
  const state = await readPublicationState(client);
  if (!state) throw new JobError('Nothing is published yet; the first build is under way.');
  if (state.status === 'quarantined')
    throw new JobError(
      `The network is in quarantine (${state.reason}); see plaza recovery plan, then plaza recovery apply.`,
    );
  if (!isDeepStrictEqual(state.versions, versionsOf(group)))
    throw new JobError(
      'What is published is of other versions than this worker: a deployment is under way, which builds by itself.',
    );
  if ((await networkOf(log)) !== state.networkId)
    throw new JobError('The log is not that of the network that is published; nothing was built.');
  return state;
}
