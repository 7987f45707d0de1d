import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { actorById } from '../../projections/profile/profile.read-model.js';
import type { Actor } from '../../projections/profile/profile.read-model.js';
import { ProtectedReads } from './admission/protected-reads.js';
import type { ReadRequest } from './admission/protected-reads.js';
import { HttpRefusal } from './errors.js';
import { identifierOrNone } from './fields.js';
import { Reading } from './read-request.js';

@Controller('api/actors')
export class ActorsController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get(':actorId')
  async actor(
    @Param('actorId') actorId: string,
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ actor: Actor }> {
    const { result, headers } = await this.reads.read(
      request,
      { scope: 'read', anonymous: true },
      actorById,
      {
        actorId: identifierOrNone(actorId),
      },
    );
    if (!result) throw new HttpRefusal('not_found', 'There is no such actor for you.');
    void reply.headers(headers);
    return { actor: result };
  }
}
