import { z } from 'zod';
import { canonicalJson } from '../../log/transparency/canonical-json.js';
import { noteText } from '../../log/transparency/signed-note.js';

/** First line of the note. No checkpoint of a log begins so: its first line is an address. */
const FORMAT = 'plaza-audit-export/v1';

const manifest = z.strictObject({
  exportId: z.string(),
  network: z.string(),
  operatorId: z.string().nullable(),
  exportedAt: z.iso.datetime(),
  query: z.string(),
  upTo: z.strictObject({ position: z.int(), eventId: z.uuid() }),
  entries: z.strictObject({ count: z.int().nonnegative(), root: z.base64() }),
});

export type ExportManifest = z.infer<typeof manifest>;

export const exportNoteText = (facts: ExportManifest): string => `${FORMAT}\n${canonicalJson(facts)}\n`;

/** The manifest in a note, without a check of its signatures (docs/audit.md, "Files of an export"). Undefined: none. */
export function manifestIn(note: string): ExportManifest | undefined {
  const [format, json = '', end] = noteText(note)?.split('\n') ?? [];
  if (format !== FORMAT || end !== '') return undefined;
  try {
    return manifest.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
