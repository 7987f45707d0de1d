import { z } from 'zod';
import { serving } from '../../../projections/groups.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import { HttpRefusal } from '../../server/errors.js';
import { retiredIncarnations, rollbackObstacle } from '../../../projections/incarnations/rollback.js';
import { findJob, findUnfinishedJob, jobShape } from '../../../projections/jobs/job.js';
import { NEEDS_RESEED } from '../../recovery/plan/preconditions.js';
import { recoveryPlan, recoveryPlanShape } from '../../recovery/plan/recovery-plan.js';
import { recoveryStatus, recoveryStatusShape } from '../../recovery/plan/recovery-status.js';
import { streams } from '../../log/streams.js';
import { isUnreachable } from '../../base/store/unreachable.js';
import { WitnessRequired, WitnessUnavailable } from '../../log/witness/witness.js';
import { act, Answer } from '../desk/act.js';
import { jobIdOf, requestOrResumeJob, resumeJob } from '../desk/jobs.js';
import type { ActServices } from '../desk/services.js';
import { planPage, recoveryPage } from './pages/recovery.page.js';

const apply = z.strictObject({ reseedWitness: z.boolean().default(false) });

const requested = z.strictObject({ job: jobShape.nullable() });

const sourcesOf = ({ pool, log, witness }: ActServices) => ({ pool, log, witness, group: serving });

export const recoveryActs = [
  act({
    name: 'recovery.status',
    may: 'status.read',
    route: 'GET /operator/recovery',
    command: 'recovery status',
    answer: recoveryStatusShape,
    page: recoveryPage,
    run: (_input, { services }) => rejectIfUnreachable(() => recoveryStatus(sourcesOf(services))),
  }),
  act({
    name: 'recovery.plan',
    may: 'status.read',
    route: 'GET /operator/recovery/plan',
    command: 'recovery plan',
    answer: recoveryPlanShape,
    page: planPage,
    run: (_input, { services }) => rejectIfUnreachable(() => recoveryPlan(sourcesOf(services))),
  }),
  act({
    name: 'recovery.apply',
    may: 'recovery.run',
    route: 'POST /operator/recovery/apply',
    command: 'recovery apply',
    reason: 'optional',
    input: apply,
    answer: requested,
    form: { to: ({ job }) => (job ? `/console/jobs/${job.id}` : '/console/recovery/plan') },
    approval: {
      when: 'with --reseed-witness',
      words: () => ({
        asks: 'Recover the network, and reseed the witness',
        does: 'The witness records every restriction of the log again, and one that only the witness had is lost. Then the network recovers.',
        about: null,
      }),
      leadsTo: (approvalId) => ({ path: `/console/jobs/${jobIdOf(approvalId)}`, name: 'the recovery' }),
      covers: ({ reseedWitness }) => reseedWitness,
      isEmergency: () => true,
      streamOf: streams.network,
      isRepeatable: true,
      preview: (_input, { services }) =>
        rejectIfUnreachable(async () => {
          const unfinished = await findUnfinishedJob(services.pool, 'recover', []);
          if (unfinished?.reseedWitness) return undefined;
          const { needsReseed } = await recoveryPlan(sourcesOf(services));
          return {
            facts: {
              records:
                'every restriction of the log in the witness again; one that only the witness had is lost',
              'the witness lacks restrictions of the log': needsReseed ? 'yes' : 'no',
            },
          };
        }),
    },
    run: ({ reseedWitness }, { services, metadata, approvalId, isUncovered }) =>
      rejectIfUnreachable(async () => {
        const id = approvalId === undefined ? undefined : jobIdOf(approvalId);
        const earlier = id === undefined ? undefined : await findJob(services.pool, id);
        if (earlier) return new Answer(202, { job: await resumeJob(earlier, services, metadata) });
        // Read before the plan: otherwise a recovery that ends in between would start again.
        const unfinished = await findUnfinishedJob(services.pool, 'recover', []);
        if (isUncovered && !unfinished?.reseedWitness)
          throw new HttpRefusal(
            'intent_conflict',
            'The recovery that reseeds the witness has ended meanwhile. Another one needs an approval: repeat it.',
          );
        const plan = await recoveryPlan(sourcesOf(services));
        if (plan.refused !== null) throw new HttpRefusal('recovery_quarantined', plan.refused);
        if (plan.needsReseed && !reseedWitness)
          throw new HttpRefusal('restriction_witness_unavailable_or_incomplete', NEEDS_RESEED);
        if (!plan.isNeeded && !reseedWitness) return { job: null };
        const job = unfinished
          ? await resumeJob(unfinished, services, metadata)
          : await requestOrResumeJob(services, { id, kind: 'recover', reseedWitness }, metadata);
        return new Answer(202, { job });
      }),
  }),
  act({
    name: 'recovery.rollback',
    may: 'recovery.run',
    route: 'POST /operator/recovery/rollback',
    command: 'recovery rollback',
    reason: 'optional',
    answer: requested,
    form: { to: ({ job }) => `/console/jobs/${job?.id ?? ''}` },
    run: (_input, { services, metadata }) =>
      rejectIfUnreachable(async () => {
        const [newest] = await retiredIncarnations(services.pool);
        const reasonAgainst = rollbackObstacle(newest, versionsOf(serving));
        if (reasonAgainst !== undefined) throw new HttpRefusal('not_found', reasonAgainst);
        return new Answer(202, { job: await requestOrResumeJob(services, { kind: 'rollback' }, metadata) });
      }),
  }),
];

/**
 * Refuses a request with `recovery_unavailable` if the witness or the read store is unreachable, and with
 * `restriction_witness_required` if no witness is configured.
 */
async function rejectIfUnreachable<Answered>(handle: () => Promise<Answered>): Promise<Answered> {
  try {
    return await handle();
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
}
