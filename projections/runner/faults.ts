import { DatabaseError } from 'pg';

/** Where in the log something is: the position is missing where the server did not tell it. */
export interface Place {
  readonly id: string;
  readonly position: bigint | undefined;
}

/** A group must not go on until somebody has looked: `event` is the one that cannot be applied, where there is one. */
export class ProjectionStoppedError extends Error {
  override readonly name = 'ProjectionStoppedError';

  constructor(
    reason: string,
    readonly event?: Place,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** Another worker has moved this group's progress: whatever is in hand is void, and the state must be read anew. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/** Code of a later version has been at this group's tables, so that this code must keep its hands off them. */
export class VersionTooOldError extends Error {
  override readonly name = 'VersionTooOldError';
}

/** The events in hand cannot be applied, whereas Postgres works. */
export class PoisonEventError extends Error {
  override readonly name = 'PoisonEventError';
}

/**
 * SQLSTATE classes (postgresql.org/docs/current/errcodes-appendix.html) that say something about the rows or the
 * statement. Every other fault is one of the infrastructure and passes: connections, serialization, resources, shutdown.
 */
const classesOfEvents = new Set(['0A', '21', '22', '23', '42', '44', '54', 'P0']);

export function isFaultOfEvents(error: unknown): boolean {
  return error instanceof DatabaseError && classesOfEvents.has(error.code?.slice(0, 2) ?? '');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
