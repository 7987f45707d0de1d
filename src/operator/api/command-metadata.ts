import type { FastifyRequest } from 'fastify';
import { clientRequestIdOf } from '../../http/server/client-request-id.js';
import type { EventMetadata } from '../../log/recorded.js';

/** Event metadata of an operator command: the operator named in `x-operator`, up to 64 characters, and the reason. */
export function commandMetadata(request: FastifyRequest, reason: string | undefined): EventMetadata {
  const operator = requestHeader(request, 'x-operator')?.slice(0, 64) ?? 'operator';
  return { requestId: request.id, clientRequestId: clientRequestIdOf(request.raw), operator, reason };
}

export function requestHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
