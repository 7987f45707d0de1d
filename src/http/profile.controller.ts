import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ownProfile as callersProfile } from '../../projections/profile/profile.read-model.js';
import { ProtectedReads } from './admission/protected-reads.js';
import type { ReadRequest, ReadRule } from './admission/protected-reads.js';
import { HttpRefusal } from './errors.js';
import { Operation } from './openapi/operation.js';
import type { Answered } from './openapi/operation.js';
import { Reading } from './read-request.js';
import { exampleOwnProfile, ownProfile } from './resources/profile.js';

const bearer: ReadRule = { scope: 'read', anonymous: false };

const oneProfile = z.strictObject({ profile: ownProfile });

@Controller('api/profile')
export class ProfileController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  @Operation({
    id: 'getOwnProfile',
    summary: "Read the caller's own profile",
    access: bearer,
    answers: oneProfile,
    example: { profile: exampleOwnProfile },
  })
  async ownProfile(
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered<typeof oneProfile>> {
    const { result, headers } = await this.reads.read(request, bearer, callersProfile, undefined);
    // A live account is in the log; what lacks it is the read model, which is behind.
    if (!result)
      throw new HttpRefusal('protected_read_unavailable', 'Your account is still being set up; retry.');
    void reply.headers(headers);
    return { profile: result };
  }
}
