import { LogSnapshot } from '@plaza/event-store';
import { StoreClient } from '../../../base/store/store-client.js';
import type { BackupPart } from './manifest.js';
import { encodeFiles } from './multi-file-stream.js';
import { beginSnapshot, tablesAsFiles, bytesOfTables, tablesOfPart } from './tables.js';

type Explain = (error: unknown) => string;

/**
 * Reads the live log in `dir` and yields it as the part `log` of a backup, up to and including the event at `position`.
 * The caller must have read or appended that event before.
 */
export async function* encodeLogPart(
  dir: string,
  position: bigint,
  explain: Explain,
): AsyncGenerator<Buffer, void> {
  const snapshot = await LogSnapshot.of(dir, Number(position));
  const head = () => ({ position: String(snapshot.head.position), eventId: snapshot.head.eventId });
  yield* encodeFiles(snapshot.length, snapshot.segments(), () => ({ head: head() }), explain);
}

const EPOCH = 'SELECT epoch::text AS epoch FROM head';

/**
 * Reads the tables of a live database at one moment and yields them as a part of a backup. Uses a connection of its own,
 * since the copy may take long.
 */
export async function* encodeTablesPart(
  part: Exclude<BackupPart, 'log'>,
  url: string,
  explain: Explain,
): AsyncGenerator<Buffer, void> {
  const client = new StoreClient({ connectionString: url, application_name: 'plaza-backup' });
  await client.connect();
  try {
    await beginSnapshot(client);
    const tables = tablesOfPart[part];
    const { rows } = part === 'witness' ? await client.query<{ epoch: string }>(EPOCH) : { rows: [] };
    yield* encodeFiles(
      await bytesOfTables(client, tables),
      tablesAsFiles(client, tables),
      () => ({ ...rows[0] }),
      explain,
    );
  } finally {
    await client.end();
  }
}
