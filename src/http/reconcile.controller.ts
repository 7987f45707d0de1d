import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { ProtectedReads } from './admission/protected-reads.js';
import type { ReadRequest, ReadRule } from './admission/protected-reads.js';
import { Operation } from './openapi/operation.js';
import type { Answered } from './openapi/operation.js';
import { Reading } from './read-request.js';
import { exampleInboxEntry, inboxEntry } from './resources/inbox-entry.js';
import { examplePost, post } from './resources/post.js';
import { exampleRelationInView, relationInView } from './resources/relation.js';

const anybody: ReadRule = { scope: 'read', anonymous: true, budget: 'events' };

const view = z.strictObject({
  posts: z.array(post),
  ownPosts: z.array(post),
  relations: z.array(relationInView),
  cursor: z.int().min(0).describe('The position that this view shows.'),
  replace: z.boolean().describe('Replace all that you keep of the network by this view.'),
  inbox: z.array(inboxEntry),
});

@Controller('api/reconcile')
export class ReconcileController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  @Operation({
    id: 'reconcile',
    summary: 'Replace a view of the network',
    access: anybody,
    answers: view,
    example: {
      posts: [examplePost],
      ownPosts: [],
      relations: [exampleRelationInView],
      cursor: 48_213,
      replace: true,
      inbox: [exampleInboxEntry],
    },
  })
  async reconcile(
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered<typeof view>> {
    const { result, headers } = await this.reads.read(request, anybody, reconcile, undefined);
    void reply.headers(headers);
    return result;
  }
}
