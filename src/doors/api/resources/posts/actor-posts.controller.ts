import { Controller, Get, Param, Query } from '@nestjs/common';
import type { z } from 'zod';
import { postsOf } from '../../../../../projections/posts/posts.read-model.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { identifierOrEmpty, pageQuery } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { PagedReads } from '../../requests/paged-reads.js';
import { ReadParameters } from '../../requests/read-request.js';
import { examplePost, pageOfPosts } from './post.resource.js';
import { exampleCursor } from '../../requests/values.js';

const anybody: ReadRule = { scope: 'read', anonymous: true };

const postsPage = pageQuery({ most: 100 });

@Controller('api/actors')
export class ActorPostsController {
  constructor(private readonly pages: PagedReads) {}

  @Get(':actorId/posts')
  @Operation({
    id: 'listPostsOfActor',
    summary: 'List the posts and replies of an actor, newest first',
    access: anybody,
    answer: pageOfPosts,
    example: { posts: [examplePost], cursor: exampleCursor },
    errors: ['not_found', 'invalid_page_cursor'],
  })
  async posts(
    @Param('actorId') actorId: string,
    @Query({ schema: postsPage }) page: z.infer<typeof postsPage>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfPosts>> {
    const { result } = await this.pages.read(
      request,
      anybody,
      postsOf,
      { actorId: identifierOrEmpty(actorId) },
      { operation: `posts of ${actorId}`, page },
    );
    if (!result) throw new HttpRefusal('not_found', 'No such actor exists, or you cannot see it.');
    return { posts: result.items, cursor: result.cursor };
  }
}
