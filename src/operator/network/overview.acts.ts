import { countOpenCases } from '../../../projections/cases/cases.read-model.js';
import { countOldCases } from '../../../projections/cases/waiting-cases.read-model.js';
import { activityOf, busiestApplications } from '../../../projections/audit/activity.read-model.js';
import { projectionStatus } from '../../../projections/projection-status.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { listJobs } from '../../../projections/jobs/job.js';
import { severities } from '../../domain/report/report-reasons.js';
import { registrationState } from '../../base/store/authority/registration.js';
import { withWaitingMails } from '../../server/health/mail-check.js';
import { unfinishedBatches } from '../people/batch-status.js';
import { readPlots } from './plots/sampler.js';
import { act } from '../desk/act.js';
import { listOf } from '../desk/schemas.js';
import { changedIdentities } from './changed-identities.js';
import { shownOverview } from './answers.js';
import { overviewPage } from './pages/overview.page.js';
import { plotsPage } from './pages/plots.page.js';
import { shownPlot } from './plots/plots.js';
import { mayUse } from '../desk/caller.js';
import type { Caller } from '../desk/caller.js';
import { countsOf } from '../people/counts.js';
import { plannedErasures } from '../people/planned-erasures.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import type { ActServices } from '../desk/services.js';

const MAX_UNSETTLED = 1_000;
/** Types of events that grow in a wave of spam. */
const WATCHED = ['post.created', 'account.registered', 'account.signed_in', 'report.created'];

/** Answers while stores are unreachable, since operators then need it: their facts are null. */
export const overviewActs = [
  act({
    name: 'network.overview',
    may: 'status.read',
    route: 'GET /operator/overview',
    answer: shownOverview,
    page: overviewPage,
    run: (_input, { services, caller }) => overviewOf(services, caller),
  }),
  act({
    name: 'network.plots',
    may: 'status.read',
    route: 'GET /operator/plots',
    answer: listOf(shownPlot),
    page: plotsPage,
    run: (_input, { services: { pool, clock } }) => readPlots(pool, clock.now()),
  }),
];

async function overviewOf(services: ActServices, caller: Caller) {
  const { pool, log, witness, store, config, clock } = services;
  const now = clock.now();
  const [
    readiness,
    projections,
    state,
    jobs,
    unsettled,
    publishing,
    registration,
    batches,
    activity,
    busiest,
    identities,
    counts,
    cases,
    oldCases,
    erasures,
  ] = await Promise.all([
    shownReadiness(services),
    undefinedIfUnreachable(projectionStatus(pool, log)),
    undefinedIfUnreachable(readPublicationState(pool).then((found) => found ?? null)),
    undefinedIfUnreachable(listJobs(pool, 1)),
    undefinedIfUnreachable(witness.unsettled(Number.MAX_SAFE_INTEGER, 0n, MAX_UNSETTLED)),
    undefinedIfUnreachable(store.db.query<{ paused: boolean }[]>('SELECT paused FROM authority.publishing')),
    undefinedIfUnreachable(registrationState(store, config)),
    undefinedIfUnreachable(unfinishedBatches(store)),
    undefinedIfUnreachable(activityOf(pool, WATCHED, now)),
    mayUse(caller, 'applications.read') ? undefinedIfUnreachable(busiestApplications(pool, now)) : undefined,
    mayUse(caller, 'applications.read') ? undefinedIfUnreachable(changedIdentities(store, now)) : undefined,
    undefinedIfUnreachable(countsOf(services)),
    undefinedIfUnreachable(countOpenCases(pool)),
    undefinedIfUnreachable(oldCasesOf(services)),
    undefinedIfUnreachable(plannedErasures(services, mayUse(caller, 'audit.read'))),
  ]);
  const lags = projections?.projections.map(({ lag }) => lag) ?? [];
  return {
    readiness,
    quarantine: state?.status === 'quarantined' ? state.reason : null,
    incarnation: state?.incarnation ?? null,
    witnessEpoch: state ? Number(state.witnessEpoch) : null,
    unsettled: unsettled?.length ?? null,
    projections: projections?.projections ?? null,
    lag: lags.length === 0 || lags.includes(null) ? null : Math.max(...lags.map(Number)),
    isPublishingPaused: publishing?.[0]?.paused ?? (publishing ? false : null),
    registration: registration ?? null,
    newestJob: jobs?.[0] ?? null,
    unfinishedBatches: batches ?? null,
    activity: activity ?? null,
    busiest: busiest ?? null,
    changedIdentities: identities ?? null,
    counts: counts ?? null,
    cases: cases ?? null,
    oldCases: oldCases ?? null,
    erasures: erasures ?? null,
  };
}

async function shownReadiness({ health, pool, clock }: ActServices) {
  const readiness = await health.readiness();
  return (await undefinedIfUnreachable(withWaitingMails(readiness, pool, clock.now()))) ?? readiness;
}

async function oldCasesOf({ pool, clock, config: { caseTargetHours: hours } }: ActServices) {
  const counts = await countOldCases(pool, hours, clock.now());
  return severities
    .toReversed()
    .map((severity) => ({ severity, hours: hours[severity], count: counts[severity] }));
}
