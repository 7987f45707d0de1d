import { createHash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { accessDenied, unauthenticated, type CallStatus } from '../grpc/status.js';

export interface Credentials {
  user: string;
  password: string;
}

/** Why a call is not served: it has to name this user and password (RFC 7617). Undefined if it does. */
export function refusalOf(metadata: Metadata, { user, password }: Credentials): CallStatus | undefined {
  const [header] = metadata.get('authorization');
  if (header === undefined) return accessDenied();
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return timingSafeEqual(digest(header), digest(expected)) ? undefined : unauthenticated();
}

/** Of one length, however long the text is, as the comparison needs it. */
function digest(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}
