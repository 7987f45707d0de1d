import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ReadRequest } from './admission/protected-reads.js';
import { credentialOf } from './admission/credential.js';
import { HttpRefusal } from './errors.js';

/** The credential a read presented, and the revision it asks to see at least (decisions.md, "A write is visible…"). */
export const Reading = createParamDecorator((_data: unknown, context: ExecutionContext): ReadRequest => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const asked = request.headers['x-network-min-revision'];
  if (asked === undefined) return { credential: credentialOf(request) };
  if (typeof asked !== 'string' || !/^[0-9]{1,19}$/.test(asked))
    throw new HttpRefusal('invalid_request', 'x-network-min-revision must be the digits of a revision.');
  return { credential: credentialOf(request), minPosition: BigInt(asked) };
});
