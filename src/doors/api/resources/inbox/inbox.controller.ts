import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { inboxOf, unreadCountOf } from '../../../../../projections/inbox/inbox.read-model.js';
import type { Authority } from '../../../../commands/support/intent.js';
import { MarkInboxRead } from '../../../../commands/mark-inbox-read.js';
import type { MarkedEntries } from '../../../../commands/mark-inbox-read.js';
import { ActingAuthority, Mutation } from '../../admission/mutation.guard.js';
import { ReadYourWrites } from '../../admission/read-your-writes.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { identifier, intentId, pageQuery } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { PagedReads } from '../../requests/paged-reads.js';
import { ReadParameters } from '../../requests/read-request.js';
import { exampleInboxEntry, inboxEntry } from './inbox-entry.resource.js';
import { exampleCursor, nextCursor, timestamp } from '../../requests/values.js';

const bearer: ReadRule = { scope: 'read', anonymous: false };
const marker: ReadRule = { scope: 'inbox:write', anonymous: false };

const inboxPage = pageQuery({ most: 100 });

const unread = z
  .int()
  .min(0)
  .describe(
    'Number of visible unread entries of the whole inbox, counted among the newest 1,000 unread entries.',
  );

const pageOfEntries = z
  .strictObject({ inbox: z.array(inboxEntry), unread, cursor: nextCursor })
  .meta({ id: 'InboxPage' });

const MAX_IDS = 200;

const marking = z
  .strictObject({
    intentId,
    ids: z
      .array(identifier)
      .min(1)
      .max(MAX_IDS)
      .optional()
      .describe('The inbox entries to mark as read. Send either this or upTo.'),
    upTo: timestamp
      .optional()
      .describe('Marks all inbox entries created up to this time. Send either this or ids.'),
  })
  .meta({ id: 'InboxMarking' })
  .transform(({ intentId, ids, upTo }, context): { intentId: string; entries: MarkedEntries } => {
    if (ids !== undefined && upTo === undefined) return { intentId, entries: { ids } };
    if (upTo !== undefined && ids === undefined) return { intentId, entries: { upTo } };
    context.addIssue({ code: 'custom', path: ['ids'], message: 'send either ids or upTo' });
    return z.NEVER;
  });

const marked = z.strictObject({ unread }).meta({ id: 'Unread' });

@Controller('api/inbox')
export class InboxController {
  constructor(
    private readonly commands: CommandBus,
    private readonly pages: PagedReads,
    private readonly reads: ProtectedReads,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get()
  @Operation({
    id: 'listInbox',
    summary: "List the caller's notifications, newest first",
    description: 'Listing marks nothing as read. A follow or like that has ended is no longer listed.',
    access: bearer,
    answer: pageOfEntries,
    example: { inbox: [exampleInboxEntry], unread: 1, cursor: exampleCursor },
    errors: ['invalid_page_cursor'],
  })
  async list(
    @Query({ schema: inboxPage }) page: z.infer<typeof inboxPage>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof pageOfEntries>> {
    const { result } = await this.pages.read(
      request,
      bearer,
      inboxOf,
      {},
      {
        operation: 'inbox',
        page,
      },
    );
    const { items = [], scanned, cursor } = result ?? {};
    return { inbox: items, unread: scanned?.unread ?? 0, cursor };
  }

  @Post('read')
  @HttpCode(200)
  @Mutation('inbox:write')
  @Operation({
    id: 'markInboxRead',
    summary: 'Mark entries of the inbox as read',
    description: `By their ids, up to ${MAX_IDS}, or all entries created up to a time. Ids of other entries are ignored.`,
    answer: marked,
    example: { unread: 0 },
    bodyExample: { intentId: 'read-inbox-1', upTo: exampleInboxEntry.createdAt },
    // The mutation answers with a read, so it has the errors of a read.
    errors: [
      'protected_read_unavailable',
      'protected_read_storage_unavailable',
      'recovery_publication_changed',
    ],
  })
  async markRead(
    @Body({ schema: marking }) { intentId, entries }: z.output<typeof marking>,
    @ActingAuthority() authority: Authority,
    @ReadParameters() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof marked>> {
    const { position } = await this.commands.execute(new MarkInboxRead({ ...authority, intentId }, entries));
    await this.readYourWrites.waitForProjection(authority.actorId, position);
    const { credential, meter } = request;
    const readRequest = { credential, meter, minPosition: position };
    const { result } = await this.reads.read(readRequest, marker, unreadCountOf, undefined);
    void reply.header('x-network-write-revision', String(position));
    return { unread: result };
  }
}
