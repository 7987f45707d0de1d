import type { Pool } from 'pg';
import { z } from 'zod';
import { groups } from '../../../projections/groups.js';
import { projectionStatus, projectionStatusShape } from '../../../projections/projection-status.js';
import { RecordJobChange } from '../../commands/network/records.js';
import { HttpRefusal } from '../../server/errors.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { findJob, jobShape, moveJob, runnableStates } from '../../../projections/jobs/job.js';
import type { Job } from '../../../projections/jobs/job.js';
import { act, Answer } from '../desk/act.js';
import type { ActContext } from '../desk/act.js';
import { requestOrResumeJob } from '../desk/jobs.js';
import { changed, idIn } from '../desk/schemas.js';
import { isJobRunning, jobPage } from './pages/job.page.js';
import { projectionsPage } from './pages/projections.page.js';

const projectionNames = groups.flatMap(({ projections }) => projections.map(({ name }) => name));
const name = z.enum(projectionNames, { error: `each must be one of ${projectionNames.join(', ')}` });
const rebuild = z.strictObject({ names: z.array(name).max(projectionNames.length).default([]) });

export const jobActs = [
  act({
    name: 'projection.status',
    may: 'status.read',
    route: 'GET /operator/projections',
    command: 'projections status',
    answer: projectionStatusShape,
    page: projectionsPage,
    run: (_input, { services: { pool, log } }) => projectionStatus(pool, log),
  }),
  act({
    name: 'projection.rebuild',
    may: 'projections.rebuild',
    route: 'POST /operator/projections/rebuild',
    command: 'projections rebuild',
    reason: 'optional',
    input: rebuild,
    answer: jobShape,
    form: { to: ({ id }) => `/console/jobs/${id}` },
    run: async ({ names }, { services, metadata }) => {
      const state = await readPublicationState(services.pool);
      if (state?.status === 'quarantined')
        throw new HttpRefusal(
          'recovery_quarantined',
          `The network is in quarantine: ${state.reason} See plaza recovery plan, then plaza recovery apply.`,
        );
      const requested = { kind: 'rebuild', names: [...new Set(names)].sort() } as const;
      return new Answer(202, await requestOrResumeJob(services, requested, metadata));
    },
  }),
  act({
    name: 'job.read',
    may: 'status.read',
    route: 'GET /operator/jobs/:id',
    answer: jobShape,
    page: jobPage,
    isUnfinished: isJobRunning,
    run: (_input, { services: { pool }, params }) => jobOf(pool, params),
  }),
  act({
    name: 'job.pause',
    may: 'jobs.pause',
    route: 'POST /operator/jobs/:id/pause',
    answer: changed,
    form: true,
    run: async (_input, { services: { pool, clock, commands }, params, metadata }) => {
      const { id, state } = await jobOf(pool, params);
      if (!(runnableStates as readonly string[]).includes(state)) return { changed: false };
      await commands.execute(new RecordJobChange('job.paused', id, metadata));
      return { changed: await moveJob(pool, id, runnableStates, 'paused', clock.now()) };
    },
  }),
];

async function jobOf(pool: Pool, params: ActContext['params']): Promise<Job> {
  const id = z.uuid().safeParse(idIn(params)).data;
  const job = id === undefined ? undefined : await findJob(pool, id);
  if (!job) throw new HttpRefusal('not_found', 'There is no such job.');
  return job;
}
