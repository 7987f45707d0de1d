import type { Pool } from 'pg';
import { auditPosition } from '../../../projections/audit/audit.read-model.js';
import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import type { EventLog } from '../../log/event-log.js';
import { personalFieldsOf } from '../../log/registry.js';
import { sleep } from '../../support/sleep.js';

export type AuditEntry = Readonly<Record<string, unknown>>;

const POLL_INTERVAL_MS = 50;

/**
 * Waits up to `timeoutMs` milliseconds; true if the audit then shows the event that was the newest of the log at the
 * call. Operators search for the command they just ran.
 */
export async function isUpToDate(pool: Pool, log: EventLog, timeoutMs: number): Promise<boolean> {
  const head = await log.head();
  if (head === undefined) return true;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const position = await auditPosition(pool);
    if (position !== undefined && position >= head) return true;
    if (performance.now() > deadline) return false;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Adds the texts that audited events wrote. The audit tables have none, so they are read from the log. */
export async function withTexts(
  log: EventLog,
  audited: readonly AuditedEvent[],
): Promise<readonly AuditEntry[]> {
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

/** Text of an audited event. `erased`: the key of the author is destroyed, so the text is unreadable. */
type Text = { readonly text: string } | { readonly erased: true };

async function textsIn(
  log: EventLog,
  stream: string,
  events: readonly AuditedEvent[],
): Promise<readonly (readonly [string, Text])[]> {
  const revisions = events.map(({ revision }) => revision);
  const first = revisions.reduce((least, each) => (each < least ? each : least));
  const last = revisions.reduce((most, each) => (each > most ? each : most));
  const recorded = await log.read(stream, { from: first, limit: Number(last - first) + 1 });
  return recorded.flatMap(({ id, event: { data }, erased }) =>
    'text' in data ? [[id, erased ? { erased } : { text: data.text }] as const] : [],
  );
}
