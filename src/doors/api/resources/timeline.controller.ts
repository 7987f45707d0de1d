import { Controller, Get, Query } from '@nestjs/common';
import type { z } from 'zod';
import { timelineOf } from '../../../../projections/timeline/timeline.read-model.js';
import type { ReadRequest, ReadRule } from '../admission/protected-reads.js';
import { pageQuery } from '../requests/fields.js';
import { Operation } from '../openapi/operation.js';
import type { AnswerOf } from '../openapi/operation.js';
import { PagedReads } from '../requests/paged-reads.js';
import { ReadParameters } from '../requests/read-request.js';
import { examplePost, pageOfPosts } from './posts/post.resource.js';
import { exampleCursor } from '../requests/values.js';

const bearer: ReadRule = { scope: 'read', anonymous: false };

const timelinePage = pageQuery({ most: 100 });

@Controller('api/timeline')
export class TimelineController {
  constructor(private readonly pages: PagedReads) {}

  @Get()
  @Operation({
    id: 'getTimeline',
    summary: "Read the caller's home timeline",
    description:
      'Posts and replies of the caller and of the actors that the caller follows now, newest first.',
    access: bearer,
    answer: pageOfPosts,
    example: { posts: [examplePost], cursor: exampleCursor },
    errors: ['invalid_page_cursor'],
  })
  async timeline(
    @Query({ schema: timelinePage }) page: z.infer<typeof timelinePage>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfPosts>> {
    const { result } = await this.pages.read(
      request,
      bearer,
      timelineOf,
      {},
      {
        operation: 'timeline',
        page,
      },
    );
    return { posts: result?.items ?? [], cursor: result?.cursor };
  }
}
