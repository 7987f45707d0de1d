import type { StatusObject } from '@grpc/grpc-js';

/** Another process, or another store of this process, already has the directory open. */
export class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError';
  constructor(readonly dir: string) {
    super(
      `the event store directory ${dir} is in use by another process: stop that one, or choose another directory`,
    );
  }
}

/** A file that the store needs beside its log is not what it has to be. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/** The log holds bytes that were acknowledged once and cannot be read back: nothing is started on top of them. */
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

/** The log has a format that this version does not know: nothing in it is damaged, and nothing was changed. */
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

/** A stored event does not read as it was written. It is never served. */
export class DamagedEventError extends Error {
  override readonly name = 'DamagedEventError';
  constructor(readonly position: number) {
    super(
      `the event at position ${position} is damaged on the disk or was read wrongly, and is not served: ` +
        'start the event store again, which checks its whole log; if it finds damage, restore a backup',
    );
  }
}

/** The disk took no more bytes. The append left no trace: the same call may be made again once there is room. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  constructor(cause: Error) {
    super(`the append was refused and nothing of it is stored: the disk is full (${cause.message})`, {
      cause,
    });
  }
}

/** An append that recovery would take for damage, were it in the log. */
export class AppendTooLargeError extends Error {
  override readonly name = 'AppendTooLargeError';
  constructor(length: number, limit: number) {
    super(
      `the append was refused and nothing of it is stored: it takes ${length} bytes in the log, at most ${limit} are allowed; ` +
        'append fewer events at a time',
    );
  }
}

/** How the process of a store ends whose log cannot be written any more. */
export const EXIT_BROKEN = 5;

/** The log can no longer promise anything about new appends; whether the one at hand is stored is not known. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** A call ends with this status, whatever was asked in it. For imitations alone. */
export class CallRefusedError extends StoreUnavailableError {
  override readonly name = 'CallRefusedError';
  constructor(readonly status: StatusObject) {
    super(status.details);
  }
}
