import { Body, Controller, Delete, Get, Param, Put, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ownRelations } from '../../../../../projections/relations/relations.read-model.js';
import { Follow, Unfollow } from '../../../../commands/relation/pair-commands.js';
import type { Authority, Intent } from '../../../../commands/support/intent.js';
import { LikePost, UnlikePost } from '../../../../commands/relation/like-post.js';
import type { RelationOutcome } from '../../../../commands/relation/relation-outcome.js';
import { ActingAuthority, Mutation } from '../../admission/mutation.guard.js';
import { ReadYourWrites } from '../../admission/read-your-writes.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import {
  identifierOrEmpty,
  intentBody,
  intentQuery,
  pageQuery,
  possibleIdentifier,
} from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { PagedReads } from '../../requests/paged-reads.js';
import { ReadParameters } from '../../requests/read-request.js';
import { exampleRelation, relation, relationKind } from './relation.resource.js';
import { exampleCursor, nextCursor } from '../../requests/values.js';

const bearer: ReadRule = { scope: 'read', anonymous: false };

const relationsPage = pageQuery({ most: 500 });

const pageOfRelations = z
  .strictObject({ relations: z.array(relation), cursor: nextCursor })
  .meta({ id: 'RelationPage' });

const oneRelation = z.strictObject({ relation }).meta({ id: 'RelationAnswer' });

const relationOrNone = z
  .strictObject({
    relation: relation.nullable().describe('The follow or like as it was last; null if it never existed.'),
  })
  .meta({ id: 'LastRelation' });

type Make = new (intent: Intent, targetId: string) => Command<RelationOutcome>;

const commandsOf = {
  follow: { establish: Follow, end: Unfollow },
  like: { establish: LikePost, end: UnlikePost },
} as const satisfies Record<z.infer<typeof relationKind>, Record<'establish' | 'end', Make>>;

@Controller('api/relations')
export class RelationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly pages: PagedReads,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get()
  @Operation({
    id: 'listOwnRelations',
    summary: "List the caller's follows and likes, newest first",
    description: 'Only relations to actors and posts that the caller can see now.',
    access: bearer,
    answer: pageOfRelations,
    example: { relations: [exampleRelation], cursor: exampleCursor },
    errors: ['invalid_page_cursor'],
  })
  async own(
    @Query({ schema: relationsPage }) page: z.infer<typeof relationsPage>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfRelations>> {
    const { result } = await this.pages.read(
      request,
      bearer,
      ownRelations,
      {},
      { operation: 'own relations', page },
    );
    return { relations: result?.items ?? [], cursor: result?.cursor };
  }

  @Put(':kind/:targetId')
  @Mutation('relation:write')
  @Operation({
    id: 'establishRelation',
    summary: 'Follow an actor, or like a post',
    description: 'An existing relation stays unchanged.',
    answer: oneRelation,
    example: { relation: exampleRelation },
    bodyExample: { intentId: 'follow-ana-1' },
    errors: ['self_relation', 'interaction_unavailable', 'not_found'],
    params: { kind: relationKind },
  })
  async establish(
    @Param('kind') kind: string,
    @Param('targetId') targetId: string,
    @Body({ schema: intentBody }) body: z.infer<typeof intentBody>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof oneRelation>> {
    const make = commandsOf[kindOf(kind)].establish;
    const intent = { ...authority, intentId: body.intentId };
    const established = await this.execute(new make(intent, identifierOrEmpty(targetId)), authority, reply);
    if (!established) throw new Error(`the command that establishes a ${kind} returned no relation`);
    return { relation: established };
  }

  @Delete(':kind/:targetId')
  @Mutation('relation:write')
  @Operation({
    id: 'endRelation',
    summary: 'End a follow or a like',
    description:
      'Works in any state of the target. The answer is the relation in its last state; null if there never was one.',
    answer: relationOrNone,
    example: { relation: exampleRelation },
    errors: ['self_relation', 'not_found'],
    params: { kind: relationKind },
  })
  async end(
    @Param('kind') kind: string,
    @Param('targetId') targetId: string,
    @Query({ schema: intentQuery }) query: z.infer<typeof intentQuery>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof relationOrNone>> {
    const make = commandsOf[kindOf(kind)].end;
    const intent = { ...authority, intentId: query.intentId };
    const ended = await this.execute(new make(intent, possibleIdentifier(targetId)), authority, reply);
    return { relation: ended };
  }

  private async execute(
    command: Command<RelationOutcome>,
    { actorId }: Authority,
    reply: FastifyReply,
  ): Promise<RelationOutcome['relation']> {
    const outcome = await this.commands.execute(command);
    await this.readYourWrites.waitForProjection(actorId, outcome.position);
    void reply.header('x-network-write-revision', String(outcome.position));
    return outcome.relation;
  }
}

function kindOf(value: string): z.infer<typeof relationKind> {
  const { data } = relationKind.safeParse(value);
  if (!data) throw new HttpRefusal('not_found', 'The kinds of relations are follow and like.');
  return data;
}
