import type { Json } from '@duckdb/node-api';
import { z } from 'zod';
import type { analyticsActs } from '../analytics.acts.js';
import type { Rows } from '../../../analytics/query/output.js';
import { Failure } from '../../../base/terminal/failure.js';
import type { Calls } from '../../client/calls.js';
import type { EncryptedFields } from '../../../log/decrypt-fields.js';

const MAX_ROWS = 10_000;
/** The limits of one request: of events, and of bytes with room for the reason. */
const MAX_EVENTS = 100;
const MAX_BYTES = 48_000;

const NEEDED = ['event_id', 'type', 'personal'] as const;

const ciphertext = z.object({ keyId: z.string(), box: z.string() });

/**
 * Returns the rows with the texts of `personal` in place of the ciphertexts; null: the person is erased. The operator
 * API decrypts them, and records it first.
 * @throws {Failure} the rows lack a column that decryption needs, or there are too many.
 */
export async function decryptRows(
  { columns, rows }: Rows,
  acts: Calls<(typeof analyticsActs)[number]>,
  reason: string,
): Promise<Rows> {
  const [idAt, typeAt, personalAt] = NEEDED.map((name) => columns.indexOf(name)) as [number, number, number];
  if ([idAt, typeAt, personalAt].includes(-1))
    throw new Failure(
      `--decrypt needs the columns ${NEEDED.join(', ')} in the SELECT, as they are in events`,
    );
  const all: Json[][] = [];
  for await (const row of rows) {
    all.push([...row]);
    if (all.length > MAX_ROWS)
      throw new Failure(
        `--decrypt shows at most ${MAX_ROWS} rows: add a WHERE or LIMIT. Nothing was disclosed`,
      );
  }
  const encrypted = all.filter((row) => row[personalAt] !== null);
  const events = encrypted.map((row) => ciphertextOf(row[idAt], row[typeAt], row[personalAt]));
  let done = 0;
  for (const part of partsOf(events)) {
    const { fields } = await acts.call('POST /operator/analytics/texts', { events: part, reason });
    for (const each of fields) {
      const row = encrypted[done++];
      if (row) row[personalAt] = each as Json;
    }
  }
  return { columns, rows: all };
}

function ciphertextOf(
  eventId: Json | undefined,
  type: Json | undefined,
  personal: Json | undefined,
): EncryptedFields {
  const parsed = typeof personal === 'string' ? ciphertext.safeParse(parsedJson(personal)) : undefined;
  if (!parsed?.success || typeof eventId !== 'string' || typeof type !== 'string')
    throw new Failure(
      '--decrypt needs event_id, type and personal as they are in events, each of the same row',
    );
  return { eventId, type, ...parsed.data };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* partsOf(events: readonly EncryptedFields[]): Generator<readonly EncryptedFields[]> {
  let part: EncryptedFields[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = JSON.stringify(event).length;
    if (part.length === MAX_EVENTS || (part.length > 0 && bytes + size > MAX_BYTES)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(event);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
