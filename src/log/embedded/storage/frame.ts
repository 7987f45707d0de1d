/**
 * A frame is the unit of an append: it is in the log with all its records or not at all. Little-endian:
 *
 *   0 magic u32 | 4 payload length u32 | 8 position u64 | 16 durable u64 | 24 crc32 u32 | 28 payload
 *
 * `position` is the frame's own place, so bytes copied from elsewhere never pass for a frame. `durable` is the end of
 * what was on disk when the frame was made: damage in front of it hit acknowledged data, damage behind it did not.
 * The payload is a row of records, each behind its length as u32; a clean close writes a frame with none.
 */
import { crc32 } from 'node:zlib';

export const FRAME_HEADER_LENGTH = 28;
export const RECORD_PREFIX_LENGTH = 4;
export const FRAME_MAGIC = Buffer.from('PzF1', 'latin1');
/** No frame is written whose payload is longer, so a length beyond it is damage. */
export const MAX_PAYLOAD_LENGTH = 64 * 1024 * 1024;

const CRC_AT = 24;

/** Fills in the header around a payload that already lies in `frame` behind the header's place. */
export function sealFrame(frame: Buffer, position: number, durable: number): void {
  FRAME_MAGIC.copy(frame, 0);
  frame.writeUInt32LE(frame.length - FRAME_HEADER_LENGTH, 4);
  frame.writeBigUInt64LE(BigInt(position), 8);
  frame.writeBigUInt64LE(BigInt(durable), 16);
  frame.writeUInt32LE(checksum(frame, 0, frame.length), CRC_AT);
}

/** What stands at an offset of a buffer: a frame, the beginning of one that is longer than the buffer, or damage. */
export type FrameCheck =
  | { kind: 'frame'; length: number; durable: number }
  | { kind: 'partial'; length: number }
  | { kind: 'damaged' };

/** Looks at `bytes[at, end)`, whose first byte has the given position in the log. */
export function checkFrame(bytes: Buffer, at: number, end: number, position: number): FrameCheck {
  if (end - at < FRAME_HEADER_LENGTH) return { kind: 'partial', length: FRAME_HEADER_LENGTH };
  if (bytes.compare(FRAME_MAGIC, 0, 4, at, at + 4) !== 0) return { kind: 'damaged' };
  const payload = bytes.readUInt32LE(at + 4);
  if (payload > MAX_PAYLOAD_LENGTH || bytes.readBigUInt64LE(at + 8) !== BigInt(position))
    return { kind: 'damaged' };
  const length = FRAME_HEADER_LENGTH + payload;
  if (end - at < length) return { kind: 'partial', length };
  if (checksum(bytes, at, at + length) !== bytes.readUInt32LE(at + CRC_AT)) return { kind: 'damaged' };
  return { kind: 'frame', length, durable: Number(bytes.readBigUInt64LE(at + 16)) };
}

function checksum(bytes: Buffer, start: number, end: number): number {
  return crc32(
    bytes.subarray(start + FRAME_HEADER_LENGTH, end),
    crc32(bytes.subarray(start, start + CRC_AT)),
  );
}
