import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import { ProtectedReads } from '../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../admission/protected-reads.js';
import { HttpRefusal } from '../../../server/errors.js';
import { Operation } from '../openapi/operation.js';
import type { AnswerOf } from '../openapi/operation.js';
import { ReadParameters } from '../requests/read-request.js';
import { identifier, timestamp } from '../requests/values.js';

const noData: ReadQuery<void, void> = {
  name: 'session',
  values: () => [],
  sql: () => 'NULL::json',
  present: () => undefined,
};

const session = z
  .strictObject({
    actorId: identifier,
    appId: identifier.describe("Must equal your application's own client identifier."),
    grantId: identifier,
    scopes: z.array(z.string()),
    expiresAt: timestamp.describe('End of the access token, in Unix milliseconds.'),
    incarnation: z.string(),
  })
  .meta({ id: 'Session' });

const bearer: ReadRule = { anonymous: false };

@Controller('api/session')
export class SessionController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  @Operation({
    id: 'getSession',
    summary: 'Read the actor, application and scopes of the access token',
    access: bearer,
    answer: session,
    example: {
      actorId: 'Rk3vQ0yN7aB2',
      appId: 'pebble',
      grantId: 'g_7Hq2',
      scopes: ['openid', 'read', 'post:create'],
      expiresAt: 1_763_700_300_000,
      incarnation: 'q8Zx0T2mS4',
    },
  })
  async session(@ReadParameters() request: ReadRequest): Promise<AnswerOf<typeof session>> {
    const { caller, incarnation } = await this.reads.read(request, bearer, noData, undefined);
    if (!caller) throw new HttpRefusal('authentication_required', 'Send an access token.');
    return { ...caller, incarnation };
  }
}
