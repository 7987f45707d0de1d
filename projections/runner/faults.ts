import { DatabaseError } from 'pg';

export interface FaultyEvent {
  readonly id: string;
  readonly position: bigint | undefined;
}

/** The group must not continue before an operator has acted. `event`: the poison event, if one is the cause. */
export class ProjectionStoppedError extends Error {
  override readonly name = 'ProjectionStoppedError';

  constructor(
    reason: string,
    readonly event?: FaultyEvent,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/**
 * Another worker has moved the group's checkpoint, or the publication has changed. Uncommitted work is void, and the
 * target must be prepared again.
 */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/** The tables were written by a later version of a projection than this process has: it must not write to them. */
export class VersionTooOldError extends Error {
  override readonly name = 'VersionTooOldError';
}

export class PoisonEventError extends Error {
  override readonly name = 'PoisonEventError';
}

/**
 * SQLSTATE classes (postgresql.org/docs/current/errcodes-appendix.html) of faults in the rows or the statement. Faults
 * of every other class are transient: connections, serialization, resources, shutdown.
 */
const poisonClasses = new Set(['0A', '21', '22', '23', '42', '44', '54', 'P0']);

export function isPoisonFault(error: unknown): boolean {
  return error instanceof DatabaseError && poisonClasses.has(error.code?.slice(0, 2) ?? '');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
