import { createHash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { accessDenied, unauthenticated, type CallStatus } from '../status.js';

export interface Credentials {
  user: string;
  password: string;
}

/**
 * Checks the user and password of a call (HTTP Basic, RFC 7617). Returns the error to answer with; undefined: they
 * are right.
 */
export function checkCredentials(
  metadata: Metadata,
  { user, password }: Credentials,
): CallStatus | undefined {
  const [header] = metadata.get('authorization');
  if (header === undefined) return accessDenied();
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return timingSafeEqual(digest(header), digest(expected)) ? undefined : unauthenticated();
}

function digest(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}
