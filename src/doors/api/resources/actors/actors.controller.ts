import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  actorById,
  actorsByHandle,
  actorsByIds,
} from '../../../../../projections/profile/profile.read-model.js';
import { isHandle } from '../../../../domain/account/account.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { identifierOrEmpty } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { ReadParameters } from '../../requests/read-request.js';
import { actor, exampleActor } from './profile.resource.js';

const MAX_IDS = 50;
const IDS_OF_A_POINT = 10;

const anybody: ReadRule = { scope: 'read', anonymous: true };

const search = z.object({
  handle: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      examples: ['ana'],
      description: 'A whole handle, without `@`: a part of one, or one of another form, finds nobody.',
    }),
  ids: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      description: `1 to ${MAX_IDS} ids of actors, separated by commas. One that no actor can have finds nobody.`,
    }),
});

const foundActors = z
  .strictObject({
    actors: z
      .array(actor)
      .describe('The actors whom you can see: of `ids` in their order, each once; of `handle` one at most.'),
  })
  .meta({ id: 'FoundActors' });

const oneActor = z.strictObject({ actor }).meta({ id: 'ActorAnswer' });

@Controller('api/actors')
export class ActorsController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  @Operation({
    id: 'findActors',
    summary: 'Find actors by handle or by ids',
    description: `Takes either \`handle\` or \`ids\`. Actors whom you cannot see are left out, and so are a hidden and a former handle. It counts as one read for each ${IDS_OF_A_POINT} ids begun.`,
    access: anybody,
    answer: foundActors,
    example: { actors: [exampleActor] },
  })
  async find(
    @Query({ schema: search }) { handle, ids }: z.infer<typeof search>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof foundActors>> {
    if (typeof handle === 'string' && ids === undefined) {
      const named = { handle: isHandle(handle) ? handle : '' };
      return { actors: (await this.reads.read(request, anybody, actorsByHandle, named)).result };
    }
    const given = typeof ids === 'string' && handle === undefined ? idsIn(ids) : [];
    if (given.length === 0 || given.length > MAX_IDS)
      throw new HttpRefusal(
        'invalid_request',
        `Send either handle, or 1 to ${MAX_IDS} ids with commas between.`,
      );
    const rule = { ...anybody, points: Math.ceil(given.length / IDS_OF_A_POINT) };
    const actorIds = [...new Set(given.map(identifierOrEmpty))];
    return { actors: (await this.reads.read(request, rule, actorsByIds, { actorIds })).result };
  }

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

const idsIn = (ids: string): readonly string[] => (ids === '' ? [] : ids.split(','));
