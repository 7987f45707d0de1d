import { z } from 'zod';
import { eventsBelow } from '../../../projections/audit/log.read-model.js';
import { eventIdsOf } from '../../../projections/audit/subject.js';
import { HttpRefusal } from '../../server/errors.js';
import type { Recorded } from '../../log/recorded.js';
import { isOwnStream } from '../../log/streams.js';
import { auditEntry, entryOf } from '../audit/entry.js';
import { everything, recordLooks, recordStream } from '../audit/looks.js';
import { auditProgress, shownProgress } from '../audit/progress.js';
import { act } from '../desk/act.js';
import { listOf } from '../desk/schemas.js';
import { logPage, streamPage } from './pages/log.page.js';

const PAGE = 50;

const place = z.string().regex(/^\d{1,18}$/, 'must be a whole number');
const position = z.strictObject({ before: place.optional() });
const revision = z.strictObject({ from: place.optional() });

const logAnswer = shownProgress.extend({ events: listOf(auditEntry), next: z.string().nullable() });

/** `erased`: its personal fields are unreadable for good. */
const recordedEvent = auditEntry
  .omit({ stream: true, grantId: true, intentId: true, requestId: true, clientRequestId: true })
  .omit({ addressClass: true, text: true, undisclosed: true })
  .extend({ witnessEpoch: z.number().nullable(), erased: z.boolean() });

const streamAnswer = z.strictObject({
  stream: z.string(),
  from: z.string(),
  events: listOf(recordedEvent),
  next: z.string().nullable(),
});

/** The log as it is stored: ids and metadata. No answer has a personal field. */
export const logActs = [
  act({
    name: 'log.read',
    may: 'audit.read',
    route: 'GET /operator/log',
    input: position,
    answer: logAnswer,
    page: logPage,
    run: async ({ before }, context) => {
      const { pool, log } = context.services;
      const progress = await auditProgress(pool, log);
      const { events, next } = await eventsBelow(
        pool,
        before === undefined ? undefined : BigInt(before),
        PAGE,
      );
      await recordLooks(context, [everything]);
      const entries = events.map((event) => entryOf(event, new Map()));
      return { events: entries, next: next === undefined ? null : String(next), ...progress };
    },
  }),
  act({
    name: 'log.read_stream',
    may: 'audit.read',
    route: 'GET /operator/log/:stream',
    input: revision,
    answer: streamAnswer,
    page: streamPage,
    run: async ({ from = '0' }, context) => {
      const stream = streamIn(context.params['stream']);
      const recorded = await context.services.log.read(stream, { from: BigInt(from), limit: PAGE + 1 });
      if (recorded.length === 0 && from === '0') throw noSuchStream();
      // Without an event the name may be any text, which the log would keep for good.
      if (recorded.length > 0) await recordStream(context, stream, recorded.slice(0, PAGE));
      const events = recorded.slice(0, PAGE).map(presentRecorded);
      return {
        stream,
        from,
        events,
        next: recorded.length > PAGE ? String(BigInt(from) + BigInt(PAGE)) : null,
      };
    },
  }),
];

const noSuchStream = () => new HttpRefusal('not_found', 'The network has no such stream.');

function streamIn(name = ''): string {
  if (!/^[A-Za-z0-9_.-]{1,200}$/.test(name) || !isOwnStream(name)) throw noSuchStream();
  return name;
}

function presentRecorded({ id, revision, position, event, metadata, erased }: Recorded) {
  const { actorId, appId, operatorId, operator, reason, cause, witnessEpoch } = metadata;
  return {
    eventId: id,
    revision: Number(revision),
    position: Number(position),
    at: event.data.at,
    type: event.type,
    subject: eventIdsOf(event),
    actorId: actorId ?? null,
    appId: appId ?? null,
    operatorId: operatorId ?? null,
    operator: operator ?? null,
    reason: reason ?? null,
    cause: cause ?? null,
    witnessEpoch: witnessEpoch ?? null,
    erased,
  };
}
