import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Post as PostView } from '../../projections/posts/post.js';
import { repliesOf } from '../../projections/posts/posts.read-model.js';
import { CreatePost } from '../commands/create-post.js';
import type { PostOutcome } from '../commands/create-post.js';
import type { Authority } from '../commands/intent.js';
import { ActingAuthority, Mutation } from './admission/mutation.guard.js';
import { OwnWrites } from './admission/own-writes.js';
import type { ReadRequest } from './admission/protected-reads.js';
import { HttpRefusal } from './errors.js';
import { identifier, identifierOrNone, intentId, pageLimit } from './fields.js';
import { PagedReads } from './paged-reads.js';
import { Reading } from './read-request.js';

const newPost = z.strictObject({
  intentId,
  text: z.string('must be a string'),
  audience: z.string('must be "public"'),
  parentId: identifier.optional(),
});

const repliesPage = z.object({
  limit: pageLimit({ most: 100 }),
  cursor: z.string('must be the cursor of an earlier page').optional(),
});

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
  async create(
    @Body({ schema: newPost }) body: z.infer<typeof newPost>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pick<PostOutcome, 'post'>> {
    const intent = { ...authority, intentId: body.intentId };
    const { post, position } = await this.commands.execute(
      new CreatePost(intent, body.text, body.audience, body.parentId),
    );
    await this.ownWrites.settle(authority.actorId, position);
    void reply.header('x-network-write-revision', String(position));
    return { post };
  }

  @Get(':id/replies')
  async replies(
    @Param('id') postId: string,
    @Query({ schema: repliesPage }) page: z.infer<typeof repliesPage>,
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ posts: readonly PostView[] }> {
    const { result, headers } = await this.pages.read(
      request,
      { scope: 'read', anonymous: true },
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
