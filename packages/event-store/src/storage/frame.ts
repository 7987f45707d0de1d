/**
 * A frame holds the records of one append, which is in the log with all of them or not at all. Little-endian:
 *
 *   version 2: 0 magic u32 | 4 payload length u32 | 8 position u64 | 16 durable u64 | 24 crc32 of the payload u32
 *              28 crc32 of the header u32 | 32 payload: records, each after its length u32 and its crc32 u32
 *   version 1: 0 magic u32 | 4 payload length u32 | 8 position u64 | 16 durable u64 | 24 crc32 of all u32
 *              28 payload: records, each after its length u32
 *
 * `position` is the frame's own, so bytes copied from elsewhere never pass for a frame. `durable` is the end of the
 * log that was on disk when the frame was written: damage before it hit acknowledged data, damage after it did not. A
 * frame without records is an end mark. Version 1 is only read.
 */
import { crc32 } from 'node:zlib';

export interface FrameFormat {
  readonly version: number;
  readonly magic: Buffer;
  readonly headerLength: number;
  readonly recordPrefixLength: number;
}

const VERSION_1: FrameFormat = {
  version: 1,
  magic: Buffer.from('PzF1', 'latin1'),
  headerLength: 28,
  recordPrefixLength: 4,
};

export const CURRENT_FORMAT: FrameFormat = {
  version: 2,
  magic: Buffer.from('PzF2', 'latin1'),
  headerLength: 32,
  recordPrefixLength: 8,
};

export const FRAME_HEADER_LENGTH = CURRENT_FORMAT.headerLength;
export const RECORD_PREFIX_LENGTH = CURRENT_FORMAT.recordPrefixLength;
/** Longest payload of a frame, in bytes. Recovery takes a header with a greater length for damage. */
export const MAX_PAYLOAD_LENGTH = 64 * 1024 * 1024;

const PAYLOAD_CRC_AT = 24;
const HEADER_CRC_AT = 28;
const RECORD_CRC_AT = 4;

export function formatOf(version: number): FrameFormat | undefined {
  return [VERSION_1, CURRENT_FORMAT].find((format) => format.version === version);
}

export function writeFrameHeader(frame: Buffer, position: number, durable: number): void {
  CURRENT_FORMAT.magic.copy(frame, 0);
  frame.writeUInt32LE(frame.length - FRAME_HEADER_LENGTH, 4);
  frame.writeBigUInt64LE(BigInt(position), 8);
  frame.writeBigUInt64LE(BigInt(durable), 16);
  frame.writeUInt32LE(crc32(frame.subarray(FRAME_HEADER_LENGTH)), PAYLOAD_CRC_AT);
  frame.writeUInt32LE(crc32(frame.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
}

export function writeRecordPrefix(bytes: Buffer, start: number, end: number): void {
  const prefix = start - RECORD_PREFIX_LENGTH;
  bytes.writeUInt32LE(end - start, prefix);
  bytes.writeUInt32LE(crc32(bytes.subarray(start, end)), prefix + RECORD_CRC_AT);
}

/**
 * Returns a record without its prefix; undefined: its length or checksum is wrong. In version 1 only the length is
 * checked, because single records have no checksum there.
 */
export function verifyRecord(
  bytes: Buffer,
  { version, recordPrefixLength }: FrameFormat,
): Buffer | undefined {
  const record = bytes.subarray(recordPrefixLength);
  const isWhole =
    bytes.readUInt32LE(0) === record.length &&
    (version === VERSION_1.version || crc32(record) === bytes.readUInt32LE(RECORD_CRC_AT));
  return isWhole ? record : undefined;
}

export type FrameCheck =
  | { kind: 'frame'; length: number; durable: number }
  /**
   * The frame continues beyond the given bytes. `hasValidHeader`: the checksum of the header is right, so `length`
   * can be trusted.
   */
  | { kind: 'partial'; length: number; hasValidHeader: boolean }
  | { kind: 'damaged' };

export function checkFrame(
  bytes: Buffer,
  at: number,
  end: number,
  position: number,
  format = CURRENT_FORMAT,
): FrameCheck {
  const { magic, headerLength, version } = format;
  if (end - at < headerLength) return { kind: 'partial', length: headerLength, hasValidHeader: false };
  if (bytes.compare(magic, 0, 4, at, at + 4) !== 0) return { kind: 'damaged' };
  const payload = bytes.readUInt32LE(at + 4);
  if (payload > MAX_PAYLOAD_LENGTH || bytes.readBigUInt64LE(at + 8) !== BigInt(position))
    return { kind: 'damaged' };
  const hasValidHeader =
    version !== VERSION_1.version &&
    crc32(bytes.subarray(at, at + HEADER_CRC_AT)) === bytes.readUInt32LE(at + HEADER_CRC_AT);
  if (version !== VERSION_1.version && !hasValidHeader) return { kind: 'damaged' };
  const length = headerLength + payload;
  if (end - at < length) return { kind: 'partial', length, hasValidHeader };
  const covered = version === VERSION_1.version ? crc32(bytes.subarray(at, at + PAYLOAD_CRC_AT)) : 0;
  const checksum = crc32(bytes.subarray(at + headerLength, at + length), covered);
  if (checksum !== bytes.readUInt32LE(at + PAYLOAD_CRC_AT)) return { kind: 'damaged' };
  return { kind: 'frame', length, durable: Number(bytes.readBigUInt64LE(at + 16)) };
}
