import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { postById, repliesOf } from '../../../../../projections/posts/posts.read-model.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { identifierOrEmpty, pageQuery } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { PagedReads } from '../../requests/paged-reads.js';
import { ReadParameters } from '../../requests/read-request.js';
import { examplePost, exampleReply, post } from './post.resource.js';

const anybody: ReadRule = { scope: 'read', anonymous: true };

const repliesPage = pageQuery({ most: 100 });

const onePost = z.strictObject({ post }).meta({ id: 'PostAnswer' });

const directReplies = z.strictObject({ posts: z.array(post) }).meta({ id: 'Replies' });

const unavailable = () => new HttpRefusal('post_unavailable', 'No such post exists, or you cannot see it.');

@Controller('api/posts')
export class PostReadsController {
  constructor(
    private readonly reads: ProtectedReads,
    private readonly pages: PagedReads,
  ) {}

  @Get(':id')
  @Operation({
    id: 'getPost',
    summary: 'Read a post',
    access: anybody,
    answer: onePost,
    example: { post: examplePost },
    errors: ['post_unavailable'],
  })
  async post(
    @Param('id') postId: string,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof onePost>> {
    const { result } = await this.reads.read(request, anybody, postById, {
      postId: identifierOrEmpty(postId),
    });
    if (!result) throw unavailable();
    return { post: result };
  }

  @Get(':id/replies')
  @Operation({
    id: 'listReplies',
    summary: 'List the direct replies of a post, oldest first',
    description: 'The header `Link` names the next page, if any.',
    access: anybody,
    answer: directReplies,
    example: { posts: [exampleReply] },
    errors: ['post_unavailable', 'invalid_page_cursor'],
    headers: ['link'],
  })
  async replies(
    @Param('id') postId: string,
    @Query({ schema: repliesPage }) page: z.infer<typeof repliesPage>,
    @ReadParameters() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof directReplies>> {
    const { result } = await this.pages.read(
      request,
      anybody,
      repliesOf,
      { postId: identifierOrEmpty(postId) },
      { operation: `replies of ${postId}`, page },
    );
    if (!result) throw unavailable();
    if (result.cursor !== undefined) {
      const query = new URLSearchParams({ limit: String(page.limit), cursor: result.cursor });
      void reply.header('link', `</api/posts/${postId}/replies?${query.toString()}>; rel="next"`);
    }
    return { posts: result.items };
  }
}
