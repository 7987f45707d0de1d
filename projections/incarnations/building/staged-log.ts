import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { eventTypesOf } from '../../runner/projection.js';
import type { Batch } from '../../../src/log/event-log.js';
import type { Recorded } from '../../../src/log/recorded.js';
import { personalFieldsOf } from '../../../src/log/registry.js';
import type { LogProgressMeter } from './progress-meter.js';
import type { BuildOptions } from './build-incarnation.js';

const BATCH_SIZE = 2_000;

/**
 * Fills the staged log with the group's events up to a position (inclusive). Digests replace personal texts,
 * so that only the read models store these.
 */
export async function stageLog(
  client: ClientBase,
  { group, log, signal }: BuildOptions,
  upTo: bigint,
  meter: LogProgressMeter,
): Promise<void> {
  const lines = linesOf(
    log.subscribe({ after: undefined, types: eventTypesOf(group), batchSize: BATCH_SIZE, signal }),
    upTo,
    meter,
  );
  await pipeline(Readable.from(lines), client.query(copyFrom('COPY fact FROM STDIN')));
  signal.throwIfAborted();
}

async function* linesOf(
  batches: AsyncIterable<Batch>,
  upTo: bigint,
  meter: LogProgressMeter,
): AsyncGenerator<string> {
  let n = 0;
  for await (const { events, caughtUp } of batches) {
    const wanted = events.filter(({ position }) => position <= upTo);
    yield wanted.map((recorded) => lineOf(recorded, n++)).join('');
    const last = wanted.at(-1);
    if (last) meter.add(wanted.length, last.position);
    // Past the wanted position, the next batch may take long to arrive.
    if (caughtUp || wanted.length < events.length || last?.position === upTo) return;
  }
}

/** Returns an event as a line in the text format of COPY (postgresql.org/docs/current/sql-copy.html, "Text Format"). */
function lineOf({ id, position, revision, event, metadata, erased }: Recorded, n: number): string {
  const { actorId, appId, intentId, witnessEpoch } = metadata;
  const fields = [
    n,
    position,
    revision,
    id,
    event.type,
    event.data.at,
    actorId,
    appId,
    intentId,
    witnessEpoch,
    erased ? 't' : 'f',
    JSON.stringify(withoutTexts(event)),
  ];
  return `${fields.map(field).join('\t')}\n`;
}

const field = (value: string | number | bigint | undefined): string =>
  value === undefined ? '\\N' : String(value).replace(/[\\\t\n\r]/g, escaped);

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (character: string): string => escapes[character] ?? character;

function withoutTexts({ type, data }: Recorded['event']): object {
  const personal = new Set(personalFieldsOf(type));
  if (personal.size === 0) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && personal.has(name) ? hash('sha256', value) : value,
    ]),
  );
}
