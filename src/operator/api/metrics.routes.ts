import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { projectionStatus } from '../../../projections/runner/projection-status.js';
import { Config } from '../../config/config.js';
import { RestrictionProof } from '../../http/admission/restriction-proof.js';
import { requireMetricsHost } from '../../http/health/metrics-host.js';
import { EventLog, LogFull, LogUnavailable } from '../../log/event-log.js';
import { listJobs } from '../../jobs/job.js';
import { readPublicationState } from '../../incarnations/recovery-state.js';
import { Witness, WitnessRequired, WitnessUnavailable } from '../../witness/witness.js';
import { Postgres } from '../../store/postgres.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Metrics } from './metrics.js';

/** More would be told as so many: something is wrong long before. */
const MOST_UNSETTLED = 1_000;

/**
 * `/metrics`, without a token: scrapers have none, the port is the operator's own, and there is nothing of any person in it.
 * It answers also while stores are away: that is when it is looked at.
 */
export function metricsRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);
  const witness = app.get(Witness);
  const proof = app.get(RestrictionProof);
  const metrics = new Metrics();

  server.get('/metrics', { onRequest: requireMetricsHost(app.get(Config)) }, async (_request, reply) => {
    const [writable, status, state, job, unsettled] = await Promise.all([
      stateOf(log),
      unlessAway(projectionStatus(pool, log)),
      unlessAway(readPublicationState(pool).then((found) => found ?? null)),
      unlessAway(listJobs(pool, 1).then(([newest]) => newest)),
      unlessAway(witness.unsettled(Number.MAX_SAFE_INTEGER, 0n, MOST_UNSETTLED).then(({ length }) => length)),
    ]);
    // A read store that is away is no lost one: null.
    const unproven = proof.unprovenFor(state === null ? undefined : (state?.witnessEpoch ?? 0n));
    void reply.type(metrics.contentType);
    return metrics.text({
      isLogUp: writable === 'up',
      isLogFull: writable === 'full',
      status,
      state,
      job,
      unsettled,
      unproven,
      isLogCompared: proof.isLogCompared,
    });
  });
}

async function stateOf(log: EventLog): Promise<'up' | 'full' | 'away'> {
  try {
    await log.checkWritable();
    return 'up';
  } catch (error) {
    if (error instanceof LogFull) return 'full';
    if (error instanceof LogUnavailable) return 'away';
    throw error;
  }
}

async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const isAway =
      error instanceof LogUnavailable ||
      error instanceof WitnessUnavailable ||
      error instanceof WitnessRequired ||
      isUnreachable(error);
    if (!isAway) throw error;
    return undefined;
  }
}
