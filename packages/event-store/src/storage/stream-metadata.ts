import { TOMBSTONE_REVISION } from './wire.js';

/** Metadata of a stream that limits its visible events. Other metadata, such as $acl, is stored and has no effect. */
export interface StreamMetadata {
  maxCount?: number;
  maxAgeMs?: number;
  truncateBefore?: number;
}

/**
 * Value of `$tb` (truncate before) in the metadata of a soft-deleted stream: the largest int64, which JSON.parse
 * rounds to 2^63.
 */
export const SOFT_DELETED_BEFORE = TOMBSTONE_REVISION;
export const SOFT_DELETE_JSON = Buffer.from('{"$tb":9223372036854775807}');

const META_PREFIX = '$$';

export function metastreamOf(stream: string): string {
  return META_PREFIX + stream;
}

export function originalStreamOf(name: string): string | undefined {
  return name.startsWith(META_PREFIX) ? name.slice(META_PREFIX.length) : undefined;
}

/** Parses the metadata of a stream. Invalid metadata counts as none, as in EventStoreDB. */
export function parseMetadata(data: Buffer, isJson: boolean): StreamMetadata {
  const json = isJson ? parseObject(data) : undefined;
  if (json === undefined) return {};
  const maxCount = positive(json['$maxCount']);
  const maxAge = positive(json['$maxAge']);
  const truncateBefore = json['$tb'];
  return {
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(maxAge === undefined ? {} : { maxAgeMs: maxAge * 1000 }),
    ...(typeof truncateBefore === 'number' && truncateBefore >= 0 ? { truncateBefore } : {}),
  };
}

export function withTruncateBefore(data: Buffer, revision: number): Buffer | undefined {
  const json = parseObject(data);
  return json && Buffer.from(JSON.stringify({ ...json, $tb: revision }));
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function parseObject(data: Buffer): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(data.toString());
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
