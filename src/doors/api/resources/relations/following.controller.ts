import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { followersOf, followingOf } from '../../../../../projections/relations/relations.read-model.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { identifierOrEmpty, pageQuery } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { PagedReads } from '../../requests/paged-reads.js';
import { ReadParameters } from '../../requests/read-request.js';
import { actorSummary, exampleActorSummary } from '../actors/profile.resource.js';
import { exampleCursor, nextCursor } from '../../requests/values.js';

const anybody: ReadRule = { scope: 'read', anonymous: true };

const actorsPage = pageQuery({ most: 100 });

const pageOfActors = z
  .strictObject({ actors: z.array(actorSummary), cursor: nextCursor })
  .meta({ id: 'ActorPage' });

const lists = { following: followingOf, followers: followersOf };

@Controller('api/actors')
export class FollowingController {
  constructor(private readonly pages: PagedReads) {}

  @Get(':actorId/following')
  @Operation({
    id: 'listFollowing',
    summary: 'List the actors that an actor follows, newest first',
    access: anybody,
    answer: pageOfActors,
    example: { actors: [exampleActorSummary], cursor: exampleCursor },
    errors: ['not_found', 'invalid_page_cursor'],
  })
  following(
    @Param('actorId') actorId: string,
    @Query({ schema: actorsPage }) page: z.infer<typeof actorsPage>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfActors>> {
    return this.list('following', actorId, page, request);
  }

  @Get(':actorId/followers')
  @Operation({
    id: 'listFollowers',
    summary: 'List the followers of an actor, newest first',
    access: anybody,
    answer: pageOfActors,
    example: { actors: [exampleActorSummary], cursor: exampleCursor },
    errors: ['not_found', 'invalid_page_cursor'],
  })
  followers(
    @Param('actorId') actorId: string,
    @Query({ schema: actorsPage }) page: z.infer<typeof actorsPage>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfActors>> {
    return this.list('followers', actorId, page, request);
  }

  private async list(
    side: keyof typeof lists,
    actorId: string,
    page: z.infer<typeof actorsPage>,
    request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfActors>> {
    const { result } = await this.pages.read(
      request,
      anybody,
      lists[side],
      { actorId: identifierOrEmpty(actorId) },
      { operation: `${side} of ${actorId}`, page },
    );
    if (!result) throw new HttpRefusal('not_found', 'No such actor exists, or you cannot see it.');
    return { actors: result.items, cursor: result.cursor };
  }
}
