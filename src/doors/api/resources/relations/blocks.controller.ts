import { Body, Controller, Delete, Get, Param, Put, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ownBlocks } from '../../../../../projections/blocks/blocks.read-model.js';
import { Block, Unblock } from '../../../../commands/relation/pair-commands.js';
import type { Authority } from '../../../../commands/support/intent.js';
import { ActingAuthority, Mutation } from '../../admission/mutation.guard.js';
import { ReadYourWrites } from '../../admission/read-your-writes.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { identifierOrEmpty, intentBody, intentQuery, possibleIdentifier } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { restrictionErrors } from '../../openapi/shared-errors.js';
import { ReadParameters } from '../../requests/read-request.js';
import { identifier } from '../../requests/values.js';

const bearer: ReadRule = { scope: 'block:read', anonymous: false };

const blocks = z.strictObject({ blocks: z.array(identifier) }).meta({ id: 'Blocks' });

const blocking = z.strictObject({ blocked: z.boolean() }).meta({ id: 'BlockAnswer' });

@Controller('api/blocks')
export class BlocksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly reads: ProtectedReads,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get()
  @Operation({
    id: 'listOwnBlocks',
    summary: 'List all actors that the caller blocks, newest first',
    access: bearer,
    answer: blocks,
    example: { blocks: ['Rk3vQ0yN7aB2'] },
  })
  async own(@ReadParameters() request: ReadRequest): Promise<AnswerOf<typeof blocks>> {
    const { result } = await this.reads.read(request, bearer, ownBlocks, undefined);
    return { blocks: result };
  }

  @Put(':actorId')
  @Mutation('block:write')
  @Operation({
    id: 'blockActor',
    summary: 'Block an actor',
    description: 'Hides the two actors from each other and ends their follows of each other.',
    answer: blocking,
    example: { blocked: true },
    bodyExample: { intentId: 'block-1' },
    errors: ['self_block', 'not_found', ...restrictionErrors],
  })
  async block(
    @Param('actorId') actorId: string,
    @Body({ schema: intentBody }) body: z.infer<typeof intentBody>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof blocking>> {
    const intent = { ...authority, intentId: body.intentId };
    return this.execute(new Block(intent, identifierOrEmpty(actorId)), authority, reply);
  }

  @Delete(':actorId')
  @Mutation('block:write')
  @Operation({
    id: 'unblockActor',
    summary: 'Unblock an actor',
    description: 'Works in any state of the actor. Follows that the block ended stay ended.',
    answer: blocking,
    example: { blocked: false },
    errors: ['self_block', 'not_found', ...restrictionErrors],
  })
  async unblock(
    @Param('actorId') actorId: string,
    @Query({ schema: intentQuery }) query: z.infer<typeof intentQuery>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof blocking>> {
    const intent = { ...authority, intentId: query.intentId };
    return this.execute(new Unblock(intent, possibleIdentifier(actorId)), authority, reply);
  }

  private async execute(
    command: Block | Unblock,
    { actorId }: Authority,
    reply: FastifyReply,
  ): Promise<AnswerOf<typeof blocking>> {
    const { blocked, position } = await this.commands.execute(command);
    await this.readYourWrites.waitForProjection(actorId, position);
    void reply.header('x-network-write-revision', String(position));
    return { blocked };
  }
}
