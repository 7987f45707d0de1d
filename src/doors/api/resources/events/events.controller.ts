import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressBlock } from '../../../../server/limits/address-block.js';
import type { Read, ReadRequest } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { endWork } from '../../../../server/overload.js';
import { EventStreams } from './event-streams.js';
import { FeedReads, feedAccess } from './feed-reads.js';
import { logCursor, pageLimit } from '../../requests/fields.js';
import { callerLimitKey } from '../../../../server/limits/caller-budget.js';
import type { RequestMeter } from '../../limits/request-meter.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { ReadParameters } from '../../requests/read-request.js';
import { exampleEvents, feedEvent } from './event.resource.js';

const behind = z.object({ cursor: logCursor, limit: pageLimit({ most: 500 }) });

const page = z
  .strictObject({
    events: z.array(feedEvent).describe('In the order of the log.'),
    cursor: z
      .int()
      .min(0)
      .describe(
        'Position in the log up to which this page has all changes. Send it as `cursor` to get the next page.',
      ),
    replace: z
      .boolean()
      .describe('The changes cannot be determined: reconcile, then continue from `cursor`.'),
  })
  .meta({ id: 'EventPage' });

@Controller('api/events')
export class EventsController {
  constructor(
    private readonly reads: FeedReads,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @Operation({
    id: 'listEvents',
    summary: 'Read changes, in pages or as a stream',
    description:
      'Without a cursor the feed starts now, with no events. More events follow while `cursor` is below `x-network-revision`. With ' +
      '`Accept: text/event-stream` the answer is a stream of server-sent events; it resumes after `Last-Event-ID` (or the ' +
      'cursor). `event` is the kind, `data` the event, `id` its position. On `replace`, reconcile. `end` has an ' +
      'Error as its data, and the connection closes. A stream counts as one read. Too many open streams are 429, with ' +
      '`Retry-After`.',
    access: feedAccess,
    answer: page,
    example: { events: exampleEvents, cursor: 48_377, replace: false },
    errors: ['invalid_cursor'],
    requestHeaders: ['last-event-id'],
    streamedEvent: feedEvent,
  })
  async events(
    @Query({ schema: behind }) { cursor, limit }: z.infer<typeof behind>,
    @ReadParameters() request: ReadRequest,
    @Req() incoming: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<AnswerOf<typeof page> | undefined> {
    const isStream = wantsStream(incoming);
    const from = (isStream ? lastEventId(incoming) : undefined) ?? cursor;
    const first = await this.reads.read(request, from, isStream ? undefined : limit);
    if (isStream) {
      // The minimum revision holds for the first read alone.
      const { credential, meter } = request;
      const stream = this.streams.start(listenerOf(first, meter), first, { credential, meter });
      // A buffering proxy would delay events.
      void reply.type('text/event-stream').header('x-accel-buffering', 'no');
      void reply.send(stream);
      endWork(reply.raw);
    } else void reply.send(first.result);
    return undefined;
  }
}

function wantsStream({ method, headers: { accept = '' } }: FastifyRequest): boolean {
  // A HEAD would wait for the end of the stream.
  return method !== 'HEAD' && accept.split(',').some((type) => /^\s*text\/event-stream\s*(;|$)/i.test(type));
}

const listenerOf = ({ caller }: Read<unknown>, { peerAddress }: RequestMeter): string =>
  caller ? callerLimitKey(caller) : addressBlock(peerAddress);

function lastEventId({ headers }: FastifyRequest): number | undefined {
  const read = logCursor.safeParse(headers['last-event-id']);
  if (!read.success)
    throw new HttpRefusal('invalid_cursor', 'Last-Event-ID must be the id of a received event.');
  return read.data;
}
