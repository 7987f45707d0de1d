import { Body, Controller, Delete, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CreatePost } from '../../../../commands/post/create-post.js';
import { DeletePost, EditPost } from '../../../../commands/post/post-changes.js';
import type { Authority } from '../../../../commands/support/intent.js';
import type { PostOutcome } from '../../../../commands/post/post-outcome.js';
import { ActingAuthority, Mutation } from '../../admission/mutation.guard.js';
import { ReadYourWrites } from '../../admission/read-your-writes.js';
import {
  baseRevision,
  baseRevisionParameter,
  identifier,
  identifierOrEmpty,
  intentId,
  postText,
} from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { reportedRestrictionErrors, restrictionErrors } from '../../openapi/shared-errors.js';
import { examplePostOutcome, postOutcome } from './post.resource.js';

const newPost = z
  .strictObject({
    intentId,
    text: postText,
    audience: z.string('must be "public"').meta({ const: 'public' }),
    parentId: identifier.optional().describe('The post to reply to.'),
  })
  .meta({ id: 'NewPost' });

const postEdit = z
  .strictObject({ intentId, revision: baseRevision, text: postText })
  .meta({ id: 'PostEdit' });

const postDeletion = z.strictObject({ intentId, revision: baseRevisionParameter });

const outcome = z.strictObject({ post: postOutcome }).meta({ id: 'PostOutcomeAnswer' });

@Controller('api/posts')
export class PostsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post()
  @HttpCode(200)
  @Mutation('post:create', { publishes: true })
  @Operation({
    id: 'createPost',
    summary: 'Create a post or a reply',
    answer: outcome,
    example: { post: examplePostOutcome },
    bodyExample: { intentId: 'post-1', text: 'The lamps on the pier are lit again.', audience: 'public' },
    errors: [
      'invalid_text',
      'unsupported_audience',
      'invalid_parent',
      'parent_unavailable',
      ...reportedRestrictionErrors,
    ],
  })
  async create(
    @Body({ schema: newPost }) body: z.infer<typeof newPost>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof outcome>> {
    const intent = { ...authority, intentId: body.intentId };
    return this.execute(new CreatePost(intent, body.text, body.audience, body.parentId), authority, reply);
  }

  @Patch(':id')
  @Mutation('post:edit', { publishes: true })
  @Operation({
    id: 'editPost',
    summary: 'Edit a post',
    description: 'An unchanged text changes nothing.',
    answer: outcome,
    example: { post: { ...examplePostOutcome, revision: 2 } },
    bodyExample: { intentId: 'edit-post-1', revision: 1, text: 'All lamps on the pier are lit again.' },
    errors: [
      'invalid_text',
      'not_owner',
      'post_deleted',
      'post_unavailable',
      'revision_conflict',
      'revision_required',
      ...reportedRestrictionErrors,
    ],
  })
  async edit(
    @Param('id') postId: string,
    @Body({ schema: postEdit }) body: z.infer<typeof postEdit>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof outcome>> {
    const intent = { ...authority, intentId: body.intentId };
    const command = new EditPost(intent, identifierOrEmpty(postId), body.revision, body.text);
    return this.execute(command, authority, reply);
  }

  @Delete(':id')
  @Mutation('post:delete')
  @Operation({
    id: 'deletePost',
    summary: 'Delete a post',
    description: 'Its replies stay.',
    answer: outcome,
    example: { post: { ...examplePostOutcome, revision: 2, status: 'deleted' } },
    errors: [
      'not_owner',
      'post_deleted',
      'post_unavailable',
      'revision_conflict',
      'revision_required',
      ...restrictionErrors,
    ],
  })
  async delete(
    @Param('id') postId: string,
    @Query({ schema: postDeletion }) query: z.infer<typeof postDeletion>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof outcome>> {
    const intent = { ...authority, intentId: query.intentId };
    const command = new DeletePost(intent, identifierOrEmpty(postId), query.revision);
    return this.execute(command, authority, reply);
  }

  private async execute(
    command: Command<PostOutcome>,
    { actorId }: Authority,
    reply: FastifyReply,
  ): Promise<AnswerOf<typeof outcome>> {
    const { post, position } = await this.commands.execute(command);
    await this.readYourWrites.waitForProjection(actorId, position);
    void reply.header('x-network-write-revision', String(position));
    return { post };
  }
}
