import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { countOpenCases } from '../../../projections/cases/cases.read-model.js';
import { countOldCases } from '../../../projections/cases/waiting-cases.read-model.js';
import { projectionStatus } from '../../../projections/projection-status.js';
import { Config } from '../../base/config/config.js';
import { Clock } from '../../base/support/clock.js';
import { RestrictionProof } from '../../doors/api/admission/restriction-proof.js';
import { checkDatabase, DatabaseFull } from '../../server/health/database-check.js';
import { pendingRewrites } from '../../background/erasure/pending-rewrites.js';
import { requireMetricsHost } from '../../server/health/metrics-host.js';
import { EventLog, LogFull, LogUnavailable } from '../../log/event-log.js';
import { listJobs } from '../../../projections/jobs/job.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { Witness } from '../../log/witness/witness.js';
import { Postgres } from '../../base/store/postgres.js';
import { Telemetry } from '../../base/telemetry/telemetry.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import { Metrics } from './metrics.js';

/** The metric of unsettled restrictions counts up to this number, which is enough for an alert. */
const MAX_UNSETTLED = 1_000;

/**
 * `/metrics` needs no token: scrapers have none, the port is for operators, and no metric holds personal data. It
 * answers while stores are unreachable, since operators then need it.
 */
export function metricsRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);
  const witness = app.get(Witness);
  const proof = app.get(RestrictionProof);
  const metrics = new Metrics(app.get(Telemetry).metrics);
  const { caseTargetHours } = app.get(Config);
  const clock = app.get(Clock);

  server.get('/metrics', { onRequest: requireMetricsHost(app.get(Config)) }, async (_request, reply) => {
    const [writable, isDatabaseFull, status, state, job, cases, oldCases, rewrites, unsettled] =
      await Promise.all([
        stateOf(log),
        isFull(pool),
        undefinedIfUnreachable(projectionStatus(pool, log)),
        undefinedIfUnreachable(readPublicationState(pool).then((found) => found ?? null)),
        undefinedIfUnreachable(listJobs(pool, 1).then(([newest]) => newest)),
        undefinedIfUnreachable(countOpenCases(pool)),
        undefinedIfUnreachable(countOldCases(pool, caseTargetHours, clock.now())),
        undefinedIfUnreachable(pendingRewrites(pool)),
        undefinedIfUnreachable(
          witness.unsettled(Number.MAX_SAFE_INTEGER, 0n, MAX_UNSETTLED).then(({ length }) => length),
        ),
      ]);
    // An unreachable read store (undefined) differs from an empty one (null).
    const unproven = proof.unavailableReason(state === null ? undefined : (state?.witnessEpoch ?? 0n));
    void reply.type(metrics.contentType);
    return metrics.text({
      isLogUp: writable === 'up',
      isLogFull: writable === 'full',
      isDatabaseFull,
      status,
      state,
      job,
      unsettled,
      rewrites,
      cases,
      oldCases,
      unproven,
      isLogCompared: proof.isLogCompared,
    });
  });
}

async function stateOf(log: EventLog): Promise<'up' | 'full' | 'unreachable'> {
  try {
    await log.checkWritable();
    return 'up';
  } catch (error) {
    if (error instanceof LogFull) return 'full';
    if (error instanceof LogUnavailable) return 'unreachable';
    throw error;
  }
}

/** False if it is unknown. */
const isFull = (pool: Pool): Promise<boolean> =>
  checkDatabase(pool).then(
    () => false,
    (error: unknown) => error instanceof DatabaseFull,
  );
