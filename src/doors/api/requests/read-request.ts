import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadRequest } from '../admission/protected-reads.js';
import { credentialOf } from '../admission/credential.js';
import { HttpRefusal } from '../../../server/errors.js';
import { requestMeterOf } from '../limits/request-meter.js';
import { commonHeaders } from '../../../server/headers.js';

/** The credential, meter and minimum revision of a read (docs/api-decisions.md, "A write is visible to its writer"). */
export const ReadParameters = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ReadRequest => {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const read: ReadRequest = {
      credential: credentialOf(request),
      meter: requestMeterOf(request, reply),
      describe: (headers) => {
        for (const name of Object.keys(commonHeaders)) void reply.removeHeader(name);
        if (headers) void reply.headers(headers);
      },
    };
    const minRevision = request.headers['x-network-min-revision'];
    if (minRevision === undefined) return read;
    if (typeof minRevision !== 'string' || !/^[0-9]{1,19}$/.test(minRevision))
      throw new HttpRefusal('invalid_request', 'x-network-min-revision must be a revision: 1 to 19 digits.');
    return { ...read, minPosition: BigInt(minRevision) };
  },
);
