import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import { Failure } from '../../base/terminal/failure.js';
import type { Column, ColumnType } from '../columns/columns.js';
import type { Value } from '../columns/rows.js';

/** Advice in messages about a changed file. */
const FOR_CHANGED_FILES =
  'plaza analytics verify lists all such files, and plaza analytics export --rebuild makes the data set anew';

export const wasChanged = (path: string, options?: ErrorOptions): Failure =>
  new Failure(`${path} was changed: ${FOR_CHANGED_FILES}`, options);

export const wasLost = (path: string): Failure =>
  new Failure(`${path} is missing or was cut off: ${FOR_CHANGED_FILES}`);

export type Compression = 'zstd' | 'none';

/** Values by column, all of the same length. */
export type Columns = Readonly<Record<string, readonly Value[]>>;

const ROWS_A_GROUP = 100_000;
const ZSTD = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };

const elements: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  integer: { type: 'INT64' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

export interface ParquetBytes {
  readonly bytes: Uint8Array;
  /** The compressed parts of pages, in their order: each has a checksum of its own, which every reader compares. */
  readonly frames: readonly Uint8Array[];
}

export function parquetOf(columns: readonly Column[], data: Columns, compression: Compression): ParquetBytes {
  const frames: Uint8Array[] = [];
  const compress = (bytes: Uint8Array) => {
    const frame = zstdCompressSync(bytes, { params: ZSTD });
    frames.push(frame);
    return frame;
  };
  const writer = new ByteWriter();
  void parquetWrite({
    writer,
    columnData: columns.map(({ name }) => ({ name, data: data[name] as Value[] })),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type, isRequired }): SchemaElement => ({
        name,
        ...elements[type],
        repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
      })),
    ],
    codec: compression === 'zstd' ? 'ZSTD' : 'UNCOMPRESSED',
    compressors: {
      ZSTD: compress,
    },
    rowGroupSize: ROWS_A_GROUP,
    createdBy: 'plaza',
  });
  return { bytes: writer.getBytes(), frames };
}

/** Reads a file of {@link parquetOf}. A column that the file lacks has no values. */
export async function readParquet(path: string, columns: readonly Column[]): Promise<Columns> {
  const data: Record<string, Value[]> = Object.fromEntries(columns.map(({ name }) => [name, []]));
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const present = new Set(metadata.schema.map(({ name }) => name));
  const read = parquetRead({
    file,
    metadata,
    columns: columns.flatMap(({ name }) => (present.has(name) ? [name] : [])),
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    parsers: { timestampFromMicroseconds: (micros) => micros },
    onChunk: ({ columnName, columnData, rowStart }) => {
      const values = data[columnName];
      if (!values) return;
      for (let n = 0; n < columnData.length; n++)
        values[rowStart + n] = (columnData[n] as Value | null) ?? undefined;
    },
  });
  try {
    await read;
  } catch (cause) {
    if (!(cause as NodeJS.ErrnoException).code?.startsWith('ZSTD_')) throw cause;
    throw wasChanged(path, { cause });
  }
  return data;
}
