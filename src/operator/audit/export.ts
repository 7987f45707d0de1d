import type { Pool } from 'pg';
import type { AuditedEvent, AuditSearch } from '../../../projections/audit/audit.read-model.js';
import { eventsAfter, followFrom } from '../../../projections/audit/follow.read-model.js';
import type { RecordedExport } from '../../commands/network/records.js';
import { canonicalJson } from '../../log/transparency/canonical-json.js';
import { signedLines } from '../../log/transparency/signed-lines.js';
import type { SignedEntries } from '../../log/transparency/signed-lines.js';
import type { NoteSigner } from '../../log/transparency/signed-note.js';
import { entryOf } from './entry.js';
import { exportNoteText } from './export-manifest.js';

/** Bounds the memory of an export: an entry takes a kilobyte. */
const PAGE = 500;

export interface ExportedSearch {
  readonly search: AuditSearch;
  readonly query: string;
  readonly recorded: RecordedExport;
  readonly operatorId: string | undefined;
}

/**
 * Yields the entries of a search up to the event that records the export, in the order of the log, as lines of canonical
 * JSON; at last the signed note, as `{"note":…}`, or `{"fault":…}` with the message that `explain` gives.
 */
export function exportAudit(
  pool: Pool,
  signers: readonly NoteSigner[],
  { search, query, recorded, operatorId }: ExportedSearch,
  explain: (error: unknown) => string,
): AsyncGenerator<string, void> {
  const { exportId, networkId, at, position, eventId } = recorded;
  const noteTextOf = (entries: SignedEntries) =>
    exportNoteText({
      exportId,
      network: networkId,
      operatorId: operatorId ?? null,
      exportedAt: new Date(at).toISOString(),
      query,
      upTo: { position: Number(position), eventId },
      entries,
    });
  return signedLines(linesUpTo(pool, search, position), signers, noteTextOf, explain);
}

/** Without texts, and without the secret id of the request: it hides leaves of the transparency log. */
function exportedLine(event: AuditedEvent): string {
  const { requestId: _secret, ...entry } = entryOf(event, new Map());
  return canonicalJson(entry);
}

/** @throws {Error} the audit lost events meanwhile, since the worker fills it anew. */
async function* linesUpTo(
  pool: Pool,
  search: AuditSearch,
  end: bigint,
): AsyncGenerator<readonly string[], void> {
  let after = search.since === undefined ? ('none' as const) : await followFrom(pool, search.since);
  while (after === 'none' || after.position < end) {
    const { events, cursor } = await eventsAfter(pool, search, after, PAGE);
    // Each page proves the cursor that it begins with. So none is missing before it, even if the audit was emptied.
    if (cursor === 'unknown' || cursor === 'none' || cursor === after)
      throw new Error('the audit was emptied during the export');
    yield events.filter(({ position }) => position <= end).map(exportedLine);
    after = cursor;
  }
}
