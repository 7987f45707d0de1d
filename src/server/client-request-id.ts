import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID = 'x-request-id';

/** A well-formed `x-request-id`: safe in a header, a log line and a search. No `@`: the log keeps it for good. */
export const clientRequestId = /^[A-Za-z0-9._:/+=-]{1,64}$/;

const ids = new WeakMap<IncomingMessage, string>();

/**
 * The public id of a request: the client's own, if well formed, else a new one. The answer carries it, and the metadata
 * of events keeps it as `clientRequestId`. The `requestId` beside it stays secret.
 */
export function clientRequestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const sent = request.headers[REQUEST_ID];
  const id = typeof sent === 'string' && clientRequestId.test(sent) ? sent : randomUUID();
  ids.set(request, id);
  return id;
}
