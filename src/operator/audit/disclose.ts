import type { Pool } from 'pg';
import { z } from 'zod';
import type { CommandBus } from '@nestjs/cqrs';
import { eventsWithIds } from '../../../projections/audit/audit.read-model.js';
import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import { DiscloseTexts } from '../../commands/operator/operator-looks.js';
import { HttpRefusal } from '../../server/errors.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { personalFieldsOf, personOf } from '../../log/registry.js';

/** Bounds the answer: a text takes up to 8 KB. */
export const MAX_DISCLOSED = 50;

interface Services {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly commands: CommandBus;
}

/** `texts`: the personal fields of an event. `erased`: the key of the person is destroyed, and no field is readable. */
export const disclosedText = z.strictObject({
  eventId: z.string(),
  type: z.string(),
  at: z.number(),
  actorId: z.string(),
  postId: z.string().nullable(),
  erased: z.boolean(),
  texts: z.record(z.string(), z.unknown()),
});

export type Disclosed = z.infer<typeof disclosedText>;

/**
 * Returns the personal texts of events, once the disclosure is recorded.
 * @throws {HttpRefusal} `not_found`: an id is unknown. `invalid_request`: an event has no personal text. Errors of the
 * stores: nothing is shown.
 */
export async function disclose(
  { pool, log, commands }: Services,
  request: {
    readonly eventIds: readonly string[];
    readonly operatorId: string;
    readonly metadata: EventMetadata;
  },
): Promise<readonly Disclosed[]> {
  const audited = await eventsWithIds(pool, request.eventIds);
  const disclosed = await Promise.all(
    request.eventIds.map(async (eventId) => disclosedOf(await eventIn(log, eventId, audited.get(eventId)))),
  );
  const events = disclosed.map(({ eventId, actorId, postId }) => ({
    eventId,
    actorId,
    ...(postId !== null && { postId }),
  }));
  await commands.execute(new DiscloseTexts(request.operatorId, events, request.metadata));
  return disclosed;
}

/** Other texts are those of operators: their names, and the inputs of acts that wait for an approval. */
export const hasTextOfPerson = (type: string): boolean =>
  personalFieldsOf(type).length > 0 && !/^(operator|approval)\./.test(type);

async function eventIn(log: EventLog, eventId: string, audited: AuditedEvent | undefined): Promise<Recorded> {
  const [found] = audited ? await log.read(audited.stream, { from: audited.revision, limit: 1 }) : [];
  if (found?.id !== eventId)
    throw new HttpRefusal(
      'not_found',
      `There is no event ${eventId}, or the audit is behind; try again later.`,
    );
  return found;
}

function disclosedOf({ id: eventId, event, erased }: Recorded): Disclosed {
  const fields = personalFieldsOf(event.type);
  const actorId = personOf(event);
  if (actorId === undefined || !hasTextOfPerson(event.type))
    throw new HttpRefusal('invalid_request', `eventIds: ${eventId} (${event.type}) has no text of a person`);
  const data: Readonly<Record<string, unknown>> = { ...event.data };
  return {
    eventId,
    type: event.type,
    at: event.data.at,
    actorId,
    postId: 'postId' in event.data ? (event.data.postId ?? null) : null,
    erased,
    texts: erased ? {} : Object.fromEntries(fields.map((field) => [field, data[field]])),
  };
}
