import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { serving } from '../../../projections/groups.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import { Clock, IdGenerator } from '../../commands/support/ambient.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { EventLog } from '../../log/event-log.js';
import { unfinishedJob } from '../../jobs/job.js';
import { retiredIncarnations, whyNoRollback } from '../../incarnations/rollback.js';
import { NEEDS_RESEED } from '../../recovery/plan/preconditions.js';
import { recoveryPlan } from '../../recovery/plan/recovery-plan.js';
import { recoveryStatus } from '../../recovery/plan/recovery-status.js';
import { Witness, WitnessRequired, WitnessUnavailable } from '../../witness/witness.js';
import { Postgres } from '../../store/postgres.js';
import { isUnreachable } from '../../store/unreachable.js';
import { actOf } from './act-of.js';
import { requestOrResumeJob, resumeJob } from './jobs.js';
import { act, parse } from './schemas.js';

const apply = act.extend({ reseedWitness: z.boolean().default(false) });

/** `/operator/recovery…`: where the network stands, and the ways out of a quarantine and back. */
export function recoveryRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const { pool } = app.get(Postgres);
  const sources = { pool, log: app.get(EventLog), witness: app.get(Witness), group: serving };
  const desk = { pool, clock: app.get(Clock), commands: app.get(CommandBus), ids: app.get(IdGenerator) };

  server.get(
    '/operator/recovery',
    whereStoresAnswer(() => recoveryStatus(sources)),
  );

  server.get(
    '/operator/recovery/plan',
    whereStoresAnswer(() => recoveryPlan(sources)),
  );

  server.post(
    '/operator/recovery/apply',
    whereStoresAnswer(async (request, reply) => {
      const { reason, reseedWitness } = parse(apply, request.body);
      // Looked up before the plan, so that a recovery which ends in between is not begun once more.
      const begun = await unfinishedJob(pool, 'recover', []);
      const plan = await recoveryPlan(sources);
      if (plan.refused !== null) throw new HttpRefusal('recovery_quarantined', plan.refused);
      if (plan.needsReseed && !reseedWitness)
        throw new HttpRefusal('restriction_witness_unavailable_or_incomplete', NEEDS_RESEED);
      if (!plan.isNeeded && !reseedWitness) return { job: null };
      const asked = { kind: 'recover', reseedWitness } as const;
      const job = begun
        ? await resumeJob(begun, desk)
        : await requestOrResumeJob(desk, asked, actOf(request, reason));
      return reply.status(202).send({ job });
    }),
  );

  server.post(
    '/operator/recovery/rollback',
    whereStoresAnswer(async (request, reply) => {
      const { reason } = parse(act, request.body);
      const [last] = await retiredIncarnations(pool);
      const why = whyNoRollback(last, versionsOf(serving));
      if (why !== undefined) throw new HttpRefusal('not_found', why);
      const job = await requestOrResumeJob(desk, { kind: 'rollback' }, actOf(request, reason));
      return reply.status(202).send({ job });
    }),
  );
}

/** During a recovery it is said by its own code that the stores which it needs cannot be read or written. */
function whereStoresAnswer(
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    try {
      return await handle(request, reply);
    } catch (cause) {
      if (cause instanceof WitnessRequired)
        throw new HttpRefusal('restriction_witness_required', cause.message, { cause });
      if (!(cause instanceof WitnessUnavailable) && !isUnreachable(cause)) throw cause;
      const store = cause instanceof WitnessUnavailable ? 'witness' : 'read store';
      throw new HttpRefusal(
        'recovery_unavailable',
        `The ${store} cannot be reached; nothing can be recovered without it. Try again once it answers.`,
        { cause },
      );
    }
  };
}
