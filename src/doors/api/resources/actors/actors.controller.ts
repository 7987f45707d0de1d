import { Controller, Get, Param } from '@nestjs/common';
import { z } from 'zod';
import { actorById } from '../../../../../projections/profile/profile.read-model.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { identifierOrEmpty } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { ReadParameters } from '../../requests/read-request.js';
import { actor, exampleActor } from './profile.resource.js';

const anybody: ReadRule = { scope: 'read', anonymous: true };

const oneActor = z.strictObject({ actor }).meta({ id: 'ActorAnswer' });

@Controller('api/actors')
export class ActorsController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get(':actorId')
  @Operation({
    id: 'getActor',
    summary: 'Read an actor',
    access: anybody,
    answer: oneActor,
    example: { actor: exampleActor },
    errors: ['not_found'],
  })
  async actor(
    @Param('actorId') actorId: string,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof oneActor>> {
    const { result } = await this.reads.read(request, anybody, actorById, {
      actorId: identifierOrEmpty(actorId),
    });
    if (!result) throw new HttpRefusal('not_found', 'No such actor exists, or you cannot see it.');
    return { actor: result };
  }
}
