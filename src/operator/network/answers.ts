import { z } from 'zod';
import { activityShape, busyApplicationShape } from '../../../projections/audit/activity.read-model.js';
import { openCasesShape } from '../../../projections/cases/cases.read-model.js';
import { jobShape } from '../../../projections/jobs/job.js';
import { projectionStatusShape } from '../../../projections/projection-status.js';
import { severities } from '../../domain/report/report-reasons.js';
import { registrationShape } from '../../base/store/authority/registration.js';
import { listOf } from '../desk/schemas.js';
import { changedIdentityShape } from './changed-identities.js';
import { countShape } from '../people/counts.js';
import { plannedErasuresShape } from '../people/planned-erasures.js';

/** Answers about the network and its work. Times are Unix milliseconds. */

const text = z.string().nullable();
const number = z.number().nullable();

const health = z.enum(['ok', 'failed']);

/** Facts of an unreachable store are null. */
export const shownOverview = z.strictObject({
  readiness: z.strictObject({
    status: health,
    components: z.record(z.string(), z.strictObject({ status: health, reason: z.string().optional() })),
  }),
  quarantine: text,
  incarnation: text,
  witnessEpoch: number,
  unsettled: number,
  projections: projectionStatusShape.shape.projections.nullable(),
  /** Bytes of the log; null: unknown of some projection. */
  lag: number,
  isPublishingPaused: z.boolean().nullable(),
  registration: registrationShape.nullable(),
  newestJob: jobShape.nullable(),
  unfinishedBatches: number,
  activity: listOf(activityShape).nullable(),
  /** Null also for a caller who may not see applications. */
  busiest: listOf(busyApplicationShape).nullable(),
  /** The last seven days. Null also for a caller who may not see applications. */
  changedIdentities: listOf(changedIdentityShape).nullable(),
  counts: listOf(countShape).nullable(),
  cases: openCasesShape.nullable(),
  /** Undecided cases beyond the target age of their severity, the gravest first. */
  oldCases: listOf(
    z.strictObject({ severity: z.enum(severities), hours: z.number(), count: z.number() }),
  ).nullable(),
  erasures: plannedErasuresShape.nullable(),
});

export type Overview = z.infer<typeof shownOverview>;
