import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { serving } from '../../../projections/groups.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import { Clock } from '../../commands/support/clock.js';
import { IdGenerator } from '../../commands/support/id-generator.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { EventLog } from '../../log/event-log.js';
import { findUnfinishedJob } from '../../jobs/job.js';
import { retiredIncarnations, rollbackObstacle } from '../../incarnations/rollback.js';
import { NEEDS_RESEED } from '../../recovery/plan/preconditions.js';
import { recoveryPlan } from '../../recovery/plan/recovery-plan.js';
import { recoveryStatus } from '../../recovery/plan/recovery-status.js';
import { Witness, WitnessRequired, WitnessUnavailable } from '../../witness/witness.js';
import { Postgres } from '../../store/postgres.js';
import { isUnreachable } from '../../store/unreachable.js';
import { commandMetadata } from './command-metadata.js';
import { requestOrResumeJob, resumeJob } from './jobs.js';
import { command, parse } from './schemas.js';

const apply = command.extend({ reseedWitness: z.boolean().default(false) });

export function recoveryRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const { pool } = app.get(Postgres);
  const sources = { pool, log: app.get(EventLog), witness: app.get(Witness), group: serving };
  const context = { pool, clock: app.get(Clock), commands: app.get(CommandBus), ids: app.get(IdGenerator) };

  server.get(
    '/operator/recovery',
    rejectIfUnreachable(() => recoveryStatus(sources)),
  );

  server.get(
    '/operator/recovery/plan',
    rejectIfUnreachable(() => recoveryPlan(sources)),
  );

  server.post(
    '/operator/recovery/apply',
    rejectIfUnreachable(async (request, reply) => {
      const { reason, reseedWitness } = parse(apply, request.body);
      // Read before the plan: otherwise a recovery that ends in between would start again.
      const unfinished = await findUnfinishedJob(pool, 'recover', []);
      const plan = await recoveryPlan(sources);
      if (plan.refused !== null) throw new HttpRefusal('recovery_quarantined', plan.refused);
      if (plan.needsReseed && !reseedWitness)
        throw new HttpRefusal('restriction_witness_unavailable_or_incomplete', NEEDS_RESEED);
      if (!plan.isNeeded && !reseedWitness) return { job: null };
      const requested = { kind: 'recover', reseedWitness } as const;
      const job = unfinished
        ? await resumeJob(unfinished, context)
        : await requestOrResumeJob(context, requested, commandMetadata(request, reason));
      return reply.status(202).send({ job });
    }),
  );

  server.post(
    '/operator/recovery/rollback',
    rejectIfUnreachable(async (request, reply) => {
      const { reason } = parse(command, request.body);
      const [newest] = await retiredIncarnations(pool);
      const reasonAgainst = rollbackObstacle(newest, versionsOf(serving));
      if (reasonAgainst !== undefined) throw new HttpRefusal('not_found', reasonAgainst);
      const job = await requestOrResumeJob(context, { kind: 'rollback' }, commandMetadata(request, reason));
      return reply.status(202).send({ job });
    }),
  );
}

/**
 * Refuses a request with `recovery_unavailable` if the witness or the read store is unreachable, and with
 * `restriction_witness_required` if no witness is configured.
 */
function rejectIfUnreachable(
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
