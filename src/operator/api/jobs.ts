import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { RecordReadModelOperation } from '../../commands/network/record-read-model-operation.js';
import type { Clock, IdGenerator } from '../../commands/support/ambient.js';
import type { EventMetadata } from '../../log/recorded.js';
import { findJob, moveJob, requestJob, unfinishedJob } from '../../jobs/job.js';
import type { Job, JobKind } from '../../jobs/job.js';

/** What asks workers for long work. */
export interface JobDesk {
  readonly pool: Pool;
  readonly commands: CommandBus;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

export interface Asked {
  readonly kind: JobKind;
  readonly names?: readonly string[];
  readonly reseedWitness?: boolean;
}

/**
 * Has workers do it: goes on with what was asked for before and is not finished, paused or not; else it is an act of its own,
 * in the log before it begins.
 */
export async function requestOrResumeJob(
  desk: JobDesk,
  { kind, names = [], reseedWitness = false }: Asked,
  metadata: EventMetadata,
): Promise<Job> {
  const { pool, commands, clock, ids } = desk;
  const begun = await unfinishedJob(pool, kind, names);
  if (begun) return resumeJob(begun, desk);
  const id = ids.uuid();
  await commands.execute(new RecordReadModelOperation(actOf(kind, id, names, reseedWitness), metadata));
  await requestJob(pool, {
    id,
    kind,
    names,
    reseedWitness,
    requestedBy: metadata.operator ?? 'operator',
    reason: metadata.reason,
    now: clock.now(),
  });
  const made = await findJob(pool, id);
  if (!made) throw new Error(`job ${id} was put down and is not there`);
  return made;
}

/** Resumes a job if it is paused. Answers how it stands now. */
export async function resumeJob(begun: Job, { pool, clock }: JobDesk): Promise<Job> {
  await moveJob(pool, begun.id, ['paused'], 'requested', clock.now());
  return (await findJob(pool, begun.id)) ?? begun;
}

function actOf(kind: JobKind, jobId: string, names: readonly string[], reseedsWitness: boolean) {
  switch (kind) {
    case 'rebuild':
      return { type: 'network.rebuild_requested', data: { jobId, names } } as const;
    case 'recover':
      return { type: 'network.recovery_applied', data: { jobId, reseedsWitness } } as const;
    case 'rollback':
      return { type: 'network.recovery_rolled_back', data: { jobId } } as const;
  }
}
