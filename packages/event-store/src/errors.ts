import type { StatusObject } from '@grpc/grpc-js';

export class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError';
  constructor(readonly dir: string) {
    super(
      `the event store directory ${dir} is in use by another process: stop that one, or choose another directory`,
    );
  }
}

export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

export class CorruptLogError extends Error {
  override readonly name = 'CorruptLogError';
  constructor(
    readonly file: string,
    readonly offset: number,
    reason: string,
  ) {
    super(
      `the event log is corrupt: ${reason}, in ${file} at byte ${offset}. ` +
        'This is not the torn end of an interrupted write, so nothing was changed: restore the directory from a backup',
    );
  }
}

export class NewerLogError extends Error {
  override readonly name = 'NewerLogError';
  constructor(
    readonly file: string,
    version: number,
  ) {
    super(
      `the event log was written by a newer version of Plaza (${file} has segment version ${version}): ` +
        'nothing was changed; start that version or a later one',
    );
  }
}

export class DamagedEventError extends Error {
  override readonly name = 'DamagedEventError';
  constructor(readonly position: number) {
    super(
      `the event at position ${position} is damaged on the disk or was read wrongly, and is not served: ` +
        'start the event store again, which checks its whole log; if it finds damage, restore a backup',
    );
  }
}

/** The disk is full. Nothing of the append is stored; the client may repeat it. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  constructor(cause: Error) {
    super(`the append was refused and nothing of it is stored: the disk is full (${cause.message})`, {
      cause,
    });
  }
}

/** The append exceeds the largest frame: recovery would take so large a frame for damage. */
export class AppendTooLargeError extends Error {
  override readonly name = 'AppendTooLargeError';
  constructor(length: number, limit: number) {
    super(
      `the append was refused and nothing of it is stored: it takes ${length} bytes in the log, at most ${limit} are allowed; ` +
        'append fewer events at a time',
    );
  }
}

export const EXIT_LOG_UNWRITABLE = 5;

/**
 * The store accepts no appends, because it is shutting down or could not write its log. After a failed write, the
 * outcome of unanswered appends is unknown.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** Makes the server end a call with this status. Only for simulated servers in tests. */
export class CallRefusedError extends StoreUnavailableError {
  override readonly name = 'CallRefusedError';
  constructor(readonly status: StatusObject) {
    super(status.details);
  }
}
