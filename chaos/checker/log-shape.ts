import type { LogEvent } from '../history.js';
import type { Finding } from './finding.js';

/**
 * Invariants of any log: positions and revisions ascend, revisions have no gap, no event occurs twice, nothing
 * follows a deletion.
 */
export function checkLogShape(events: readonly LogEvent[]): Finding[] {
  const findings: Finding[] = [];
  const ids = new Map<string, LogEvent>();
  const newest = new Map<string, LogEvent>();
  const deletions = new Map<string, LogEvent>();
  let before: LogEvent | undefined;
  for (const event of events) {
    const twin = ids.get(event.id);
    if (twin)
      findings.push({ kind: 'doubled', what: 'an event is in the log twice', evidence: { twin, event } });
    ids.set(event.id, event);
    if (before && event.position <= before.position)
      findings.push({ kind: 'out of order', what: 'positions do not ascend', evidence: { before, event } });
    before = event;
    const previous = newest.get(event.stream);
    const expected = previous ? previous.revision + 1 : 0;
    if (event.revision !== expected)
      findings.push({
        kind: event.revision > expected ? 'lost' : 'doubled',
        what: `${event.stream} has revision ${event.revision} where ${expected} belongs`,
        evidence: { previous, event },
      });
    newest.set(event.stream, event);
    const deletion = deletions.get(event.stream);
    if (deletion)
      findings.push({
        kind: 'resurrected',
        what: `${event.type} in the stream of a deleted post`,
        evidence: { deletion, event },
      });
    if (event.type === 'post.deleted') deletions.set(event.stream, event);
  }
  return findings;
}
