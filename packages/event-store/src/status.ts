/**
 * The protocol's errors: a gRPC code, and metadata from which clients create typed errors.
 * https://github.com/EventStore/EventStore/blob/release/oss-v23.10/src/EventStore.Core/Services/Transport/Grpc/RpcExceptions.cs
 */
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { AppendTooLargeError, CallRefusedError, DiskFullError, StoreUnavailableError } from './errors.js';
import { InvalidPositionError } from './reading/positions.js';

export type CallStatus = StatusObject;

export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

function callStatus(code: status, details: string, entries: Record<string, string> = {}): CallStatus {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(entries)) metadata.set(key, headerValue(value));
  return { code, details, metadata };
}

export function shuttingDown(): CallStatus {
  return callStatus(status.UNAVAILABLE, 'the event store is shutting down');
}

export function notLeader({ host, port }: { host: string; port: number }): CallStatus {
  return callStatus(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
}

export function notReady(): CallStatus {
  return callStatus(status.UNAVAILABLE, 'Server Is Not Ready');
}

/** Answer to a read of $all that starts at a position without an event. A subscription gets a more specific error. */
export function unreadablePosition(isFiltered: boolean): CallStatus {
  return callStatus(status.UNKNOWN, `Unexpected ${isFiltered ? 'Filtered' : ''}ReadAllResult: Error`);
}

export function accessDenied(): CallStatus {
  return callStatus(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
}

export function unauthenticated(): CallStatus {
  return callStatus(status.UNAUTHENTICATED, 'Unauthenticated');
}

export function streamDeleted(stream: string): CallStatus {
  return callStatus(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function wrongExpectedVersion(stream: string, expected: number, current: number): CallStatus {
  return callStatus(
    status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${current}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(expected),
      'actual-version': String(current),
    },
  );
}

export function maximumAppendSizeExceeded(limit: number): CallStatus {
  return callStatus(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });
}

export function tooManyUnfinished(): CallStatus {
  const details = 'the append was refused: this call has too many incomplete appends; finish some first';
  return callStatus(status.RESOURCE_EXHAUSTED, details);
}

export function missingMetadata(property: string): CallStatus {
  return callStatus(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });
}

export function callStatusOf(error: unknown): CallStatus {
  if (
    error instanceof InvalidRequestError ||
    error instanceof InvalidPositionError ||
    error instanceof AppendTooLargeError
  ) {
    return callStatus(status.INVALID_ARGUMENT, error.message);
  }
  if (error instanceof CallRefusedError) return error.status;
  if (error instanceof DiskFullError) return callStatus(status.RESOURCE_EXHAUSTED, error.message);
  if (error instanceof StoreUnavailableError) return callStatus(status.UNAVAILABLE, error.message);
  return callStatus(status.INTERNAL, error instanceof Error ? error.message : String(error));
}

/** Encodes a value for a gRPC header: headers are ASCII, so other characters are percent-encoded. */
function headerValue(value: string): string {
  return /^[ -~]*$/.test(value) ? value : encodeURIComponent(value);
}
