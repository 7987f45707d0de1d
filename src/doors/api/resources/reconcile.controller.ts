import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { reconcile } from '../../../../projections/reconcile/reconcile.read-model.js';
import { ProtectedReads } from '../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../admission/protected-reads.js';
import { logCursor } from '../requests/fields.js';
import { Operation } from '../openapi/operation.js';
import type { AnswerOf } from '../openapi/operation.js';
import { ReadParameters } from '../requests/read-request.js';
import { exampleInboxEntry, inboxEntry } from './inbox/inbox-entry.resource.js';
import { examplePost, post } from './posts/post.resource.js';
import { exampleRelationInView, relationInView } from './relations/relation.resource.js';

const anybody: ReadRule = { scope: 'read', anonymous: true, budget: 'events' };

const view = z
  .strictObject({
    posts: z.array(post),
    ownPosts: z.array(post),
    relations: z.array(relationInView),
    cursor: z.int().min(0).describe('Position in the log that this view shows.'),
    replace: z
      .boolean()
      .describe('True: replace your whole copy by this view. False: this is a delta; apply it to your copy.'),
    inbox: z.array(inboxEntry),
  })
  .meta({ id: 'NetworkView' });

const since = z.object({ cursor: logCursor });

@Controller('api/reconcile')
export class ReconcileController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  @Operation({
    id: 'reconcile',
    summary: 'Bring a copy of the network up to date',
    description:
      'Without a cursor, the answer is the whole view with `replace` true. The same holds if an item was removed since the ' +
      'cursor, or if the changes cannot be determined. Delete every item that such an answer lacks. Any other answer is a ' +
      'delta: add or update each item by its identity (a relation by kind and targetId).',
    access: anybody,
    answer: view,
    example: {
      posts: [examplePost],
      ownPosts: [],
      relations: [exampleRelationInView],
      cursor: 48_213,
      replace: true,
      inbox: [exampleInboxEntry],
    },
    errors: ['invalid_cursor'],
  })
  async reconcile(
    @Query({ schema: since }) { cursor }: z.infer<typeof since>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof view>> {
    const { result } = await this.reads.read(request, anybody, reconcile, { cursor });
    return result;
  }
}
