import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { repliesOf } from '../../projections/posts/posts.read-model.js';
import { CreatePost } from '../commands/create-post.js';
import type { Authority } from '../commands/intent.js';
import { ActingAuthority, Mutation } from './admission/mutation.guard.js';
import { OwnWrites } from './admission/own-writes.js';
import type { ReadRequest, ReadRule } from './admission/protected-reads.js';
import { HttpRefusal } from './errors.js';
import { identifier, identifierOrNone, intentId, pageCursor, pageLimit, postText } from './fields.js';
import { Operation } from './openapi/operation.js';
import type { Answered } from './openapi/operation.js';
import { PagedReads } from './paged-reads.js';
import { Reading } from './read-request.js';
import { examplePostOutcome, exampleReply, post, postOutcome } from './resources/post.js';

const newPost = z.strictObject({
  intentId,
  text: postText,
  audience: z.string('must be "public"').meta({ const: 'public' }),
  parentId: identifier.optional().describe('The post to reply to.'),
});

const repliesPage = z.object({
  limit: pageLimit({ most: 100 }),
  cursor: pageCursor,
});

const anybody: ReadRule = { scope: 'read', anonymous: true };

const outcome = z.strictObject({ post: postOutcome });

const directReplies = z.strictObject({ posts: z.array(post) });

@Controller('api/posts')
export class PostsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly pages: PagedReads,
    private readonly ownWrites: OwnWrites,
  ) {}

  @Post()
  @HttpCode(200)
  @Mutation('post:create', { publishes: true })
  @Operation({
    id: 'createPost',
    summary: 'Create a post or a reply',
    answers: outcome,
    example: { post: examplePostOutcome },
    sends: { intentId: 'post-1', text: 'The lamps on the pier are lit again.', audience: 'public' },
    errors: ['invalid_text', 'unsupported_audience', 'invalid_parent', 'parent_unavailable'],
  })
  async create(
    @Body({ schema: newPost }) body: z.infer<typeof newPost>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered<typeof outcome>> {
    const intent = { ...authority, intentId: body.intentId };
    const { post, position } = await this.commands.execute(
      new CreatePost(intent, body.text, body.audience, body.parentId),
    );
    await this.ownWrites.settle(authority.actorId, position);
    void reply.header('x-network-write-revision', String(position));
    return { post };
  }

  @Get(':id/replies')
  @Operation({
    id: 'listReplies',
    summary: 'List the direct replies of a post, oldest first',
    description: 'Where there is a next page, the header Link names it.',
    access: anybody,
    answers: directReplies,
    example: { posts: [exampleReply] },
    errors: ['post_unavailable', 'invalid_page_cursor'],
    headers: ['link'],
  })
  async replies(
    @Param('id') postId: string,
    @Query({ schema: repliesPage }) page: z.infer<typeof repliesPage>,
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered<typeof directReplies>> {
    const { result, headers } = await this.pages.read(
      request,
      anybody,
      repliesOf,
      { postId: identifierOrNone(postId) },
      { operation: `replies of ${postId}`, page },
    );
    if (!result) throw new HttpRefusal('post_unavailable', 'There is no such post for you.');
    void reply.headers(headers);
    if (result.cursor !== undefined) {
      const query = new URLSearchParams({ limit: String(page.limit), cursor: result.cursor });
      void reply.header('link', `</api/posts/${postId}/replies?${query.toString()}>; rel="next"`);
    }
    return { posts: result.items };
  }
}
