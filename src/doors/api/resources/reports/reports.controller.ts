import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CreateReport } from '../../../../commands/create-report.js';
import type { Authority } from '../../../../commands/support/intent.js';
import { reportReasons } from '../../../../domain/report/report-reasons.js';
import { ActingAuthority, Mutation } from '../../admission/mutation.guard.js';
import { ReadYourWrites } from '../../admission/read-your-writes.js';
import { identifier, intentId, reportText } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { exampleReport, report } from './report.resource.js';

const newReport = z
  .strictObject({
    intentId,
    postId: identifier.optional().describe('The reported post. Send either this or actorId.'),
    actorId: identifier.optional().describe('The reported actor. Send either this or postId.'),
    reason: z.enum(reportReasons, `must be one of ${reportReasons.join(', ')}`),
    text: reportText.optional(),
  })
  .meta({ id: 'NewReport' });

const received = z.strictObject({ report }).meta({ id: 'ReportAnswer' });

@Controller('api/reports')
export class ReportsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post()
  @HttpCode(200)
  @Mutation('report:create')
  @Operation({
    id: 'createReport',
    summary: 'Report a post or an actor to the operators',
    description: 'The reported actor is not notified. You can report an actor that you block.',
    answer: received,
    example: { report: exampleReport },
    bodyExample: {
      intentId: 'report-1',
      postId: 'p_5dQ2',
      reason: 'spam',
      text: 'The same in every thread.',
    },
    errors: ['invalid_report', 'invalid_text', 'not_found', 'post_unavailable'],
  })
  async create(
    @Body({ schema: newReport }) body: z.infer<typeof newReport>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof received>> {
    const { intentId, ...complaint } = body;
    const { report, position } = await this.commands.execute(
      new CreateReport({ ...authority, intentId }, complaint),
    );
    await this.readYourWrites.waitForProjection(authority.actorId, position);
    void reply.header('x-network-write-revision', String(position));
    return { report };
  }
}
