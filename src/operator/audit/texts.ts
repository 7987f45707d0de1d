import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import type { EventLog } from '../../log/event-log.js';
import { personalFieldsOf } from '../../log/registry.js';

/** `erased`: the key of the author is destroyed, so the text is unreadable. */
export type AuditedText = { readonly text: string } | { readonly erased: true };

/**
 * Reads the texts that audited events wrote, by event id. The only place where operators read texts: the tables of the
 * audit have none.
 * @throws {LogUnavailable}
 */
export async function readTexts(
  log: EventLog,
  audited: readonly AuditedEvent[],
): Promise<ReadonlyMap<string, AuditedText>> {
  const written = audited.filter(({ type }) => personalFieldsOf(type).includes('text'));
  const streams = Map.groupBy(written, ({ stream }) => stream);
  const read = await Promise.all([...streams].map(([stream, events]) => textsIn(log, stream, events)));
  return new Map(read.flat());
}

async function textsIn(
  log: EventLog,
  stream: string,
  events: readonly AuditedEvent[],
): Promise<readonly (readonly [string, AuditedText])[]> {
  const revisions = events.map(({ revision }) => revision);
  const first = revisions.reduce((least, each) => (each < least ? each : least));
  const last = revisions.reduce((most, each) => (each > most ? each : most));
  const recorded = await log.read(stream, { from: first, limit: Number(last - first) + 1 });
  return recorded.flatMap(({ id, event: { data }, erased }) =>
    'text' in data ? [[id, erased ? { erased } : { text: data.text }] as const] : [],
  );
}
