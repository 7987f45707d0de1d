import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { auditedUpTo } from '../../../projections/audit/audit.read-model.js';
import type { Audited } from '../../../projections/audit/audit.read-model.js';
import type { EventLog } from '../../log/event-log.js';
import { personalFieldsOf } from '../../log/registry.js';

/** An event as operators read it. */
export type AuditEntry = Readonly<Record<string, unknown>>;

const LOOK_AGAIN_MS = 50;

/**
 * Whether the audit has all that the log has at this moment, or comes to it within that time: an operator looks for what
 * was just done.
 */
export async function isUpToDate(pool: Pool, log: EventLog, patienceMs: number): Promise<boolean> {
  const head = await log.head();
  if (head === undefined) return true;
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const position = await auditedUpTo(pool);
    if (position !== undefined && position >= head) return true;
    if (performance.now() > giveUpAt) return false;
    await pause(LOOK_AGAIN_MS);
  }
}

/** The events with what people wrote in them, which is nowhere but in the log. */
export async function withTexts(log: EventLog, audited: readonly Audited[]): Promise<readonly AuditEntry[]> {
  const written = audited.filter(({ type }) => personalFieldsOf(type).includes('text'));
  const streams = Map.groupBy(written, ({ stream }) => stream);
  const texts = new Map<string, Text>();
  await Promise.all(
    [...streams].map(async ([stream, events]) => {
      for (const [eventId, text] of await textsIn(log, stream, events)) texts.set(eventId, text);
    }),
  );
  return audited.map(({ position, revision, ...event }) => ({
    position: Number(position),
    revision: Number(revision),
    ...event,
    ...texts.get(event.eventId),
  }));
}

/** `erased`: the key of whoever wrote it is gone, and the text with it. */
type Text = { readonly text: string } | { readonly erased: true };

async function textsIn(
  log: EventLog,
  stream: string,
  events: readonly Audited[],
): Promise<readonly (readonly [string, Text])[]> {
  const revisions = events.map(({ revision }) => revision);
  const first = revisions.reduce((least, each) => (each < least ? each : least));
  const last = revisions.reduce((most, each) => (each > most ? each : most));
  const recorded = await log.read(stream, { from: first, limit: Number(last - first) + 1 });
  return recorded.flatMap(({ id, event: { data }, erased }) =>
    'text' in data ? [[id, erased ? { erased } : { text: data.text }] as const] : [],
  );
}
