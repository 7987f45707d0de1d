import { AccessDeniedError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import { isTooLarge, APPEND_LIMIT_TOO_LOW } from './append-size.js';
import { tlsFault } from './tls-faults.js';

const WRONG_USER =
  'The event store rejects the user in EVENTSTORE_URL or its password (there, or in EVENTSTORE_PASSWORD_FILE): correct them, and start again.';
const NO_USER =
  'The event store requires a user, and EVENTSTORE_URL names none: write user:password@ before the host, and start again.';
const NOT_SENT =
  'The event store requires a user, and with tls=false in EVENTSTORE_URL none is sent: set up TLS, and start again.';
const DENIED = {
  read: 'The user in EVENTSTORE_URL may not read $all: add it, or a group of it, to $r in the $acl of $all.',
  append:
    'The user in EVENTSTORE_URL may not append events: add it, or a group of it, to $w in the $userStreamAcl of $settings.',
};

export async function configurationFault(
  connection: EventStoreConnection,
  use: keyof typeof DENIED,
  error: unknown,
): Promise<string | undefined> {
  const causes = causesOf(error);
  if (causes.some(isTooLarge)) return APPEND_LIMIT_TOO_LOW;
  const denied = causes.find((cause) => cause instanceof AccessDeniedError);
  return denied
    ? accessFault(connection, use, denied)
    : tlsFault(
        connection,
        causes.map(({ message }) => message),
      );
}

function accessFault(
  { credentials, options, files }: EventStoreConnection,
  use: keyof typeof DENIED,
  denied: AccessDeniedError,
): string {
  if (options.tls === false) return NOT_SENT;
  if (!credentials && !files.userCertFile) return NO_USER;
  return denied.code === status.UNAUTHENTICATED ? WRONG_USER : DENIED[use];
}

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
