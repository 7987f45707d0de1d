import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import type { Column, ColumnType } from '../columns/columns.js';
import type { Value } from '../columns/rows.js';

export type Compression = 'zstd' | 'none';

/** Values by column, all of the same length. */
export type Columns = Readonly<Record<string, readonly Value[]>>;

const ROWS_A_GROUP = 100_000;
const ZSTD_LEVEL = 3;

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

export function parquetOf(columns: readonly Column[], data: Columns, compression: Compression): Uint8Array {
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
      ZSTD: (bytes) =>
        zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
    },
    rowGroupSize: ROWS_A_GROUP,
    createdBy: 'plaza',
  });
  return writer.getBytes();
}

/** Reads a file of {@link parquetOf}. A column that the file lacks has no values. */
export async function readParquet(path: string, columns: readonly Column[]): Promise<Columns> {
  const data: Record<string, Value[]> = Object.fromEntries(columns.map(({ name }) => [name, []]));
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const present = new Set(metadata.schema.map(({ name }) => name));
  await parquetRead({
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
  return data;
}
