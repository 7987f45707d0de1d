import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ownProfile } from '../../projections/profile/profile.read-model.js';
import type { OwnProfile } from '../../projections/profile/profile.read-model.js';
import { ProtectedReads } from './admission/protected-reads.js';
import type { ReadRequest } from './admission/protected-reads.js';
import { HttpRefusal } from './errors.js';
import { Reading } from './read-request.js';

@Controller('api/profile')
export class ProfileController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  async ownProfile(
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ profile: OwnProfile }> {
    const { result, headers } = await this.reads.read(
      request,
      { scope: 'read', anonymous: false },
      ownProfile,
      undefined,
    );
    // A live account is in the log; what lacks it is the read model, which is behind.
    if (!result)
      throw new HttpRefusal('protected_read_unavailable', 'Your account is still being set up; retry.');
    void reply.headers(headers);
    return { profile: result };
  }
}
