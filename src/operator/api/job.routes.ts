import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { z } from 'zod';
import { groups } from '../../../projections/groups.js';
import { Clock } from '../../commands/support/clock.js';
import { IdGenerator } from '../../commands/support/id-generator.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { findJob, moveJob, runnableStates } from '../../jobs/job.js';
import type { Job } from '../../jobs/job.js';
import { readPublicationState } from '../../incarnations/recovery-state.js';
import { Postgres } from '../../store/postgres.js';
import { commandMetadata } from './command-metadata.js';
import { requestOrResumeJob } from './jobs.js';
import { command, pathId, parse } from './schemas.js';

const projectionNames = groups.flatMap(({ projections }) => projections.map(({ name }) => name));
const name = z.enum(projectionNames, { error: `each must be one of ${projectionNames.join(', ')}` });
const rebuild = command.extend({ names: z.array(name).max(projectionNames.length).default([]) });

export function jobRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const { pool } = app.get(Postgres);
  const clock = app.get(Clock);
  const context = { pool, clock, commands: app.get(CommandBus), ids: app.get(IdGenerator) };

  server.post('/operator/projections/rebuild', async (request, reply) => {
    const { names, reason } = parse(rebuild, request.body);
    const state = await readPublicationState(pool);
    if (state?.status === 'quarantined')
      throw new HttpRefusal(
        'recovery_quarantined',
        `The network is in quarantine: ${state.reason} See plaza recovery plan, then plaza recovery apply.`,
      );
    const requested = { kind: 'rebuild', names: [...new Set(names)].sort() } as const;
    return reply
      .status(202)
      .send(await requestOrResumeJob(context, requested, commandMetadata(request, reason)));
  });

  server.get('/operator/jobs/:id', (request) => jobOf(pool, request));

  const pause = async (request: FastifyRequest) => {
    const { id } = await jobOf(pool, request);
    return { changed: await moveJob(pool, id, runnableStates, 'paused', clock.now()) };
  };
  server.post('/operator/jobs/:id/pause', (request) => pause(request));
}

async function jobOf(pool: Pool, request: FastifyRequest): Promise<Job> {
  const id = z.uuid().safeParse(pathId(request)).data;
  const job = id === undefined ? undefined : await findJob(pool, id);
  if (!job) throw new HttpRefusal('not_found', 'There is no such job.');
  return job;
}
