import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ReadQuery } from '../../projections/runner/read-query.js';
import { ProtectedReads } from './admission/protected-reads.js';
import type { ReadRequest } from './admission/protected-reads.js';
import { HttpRefusal } from './errors.js';
import { Reading } from './read-request.js';

/** The admission itself is all that the answer is made of. */
const nothingMore: ReadQuery<void, void> = {
  name: 'session',
  values: () => [],
  sql: () => 'NULL::json',
  present: () => undefined,
};

/** Whom the access token speaks for. `expiresAt`: Unix milliseconds. */
interface Session {
  readonly actorId: string;
  readonly appId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly incarnation: string;
}

@Controller('api/session')
export class SessionController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  async session(
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Session> {
    const { caller, incarnation, headers } = await this.reads.read(
      request,
      { anonymous: false },
      nothingMore,
      undefined,
    );
    if (!caller) throw new HttpRefusal('authentication_required', 'Send an access token.');
    void reply.headers(headers);
    return { ...caller, incarnation };
  }
}
