import { AppendTooLargeError } from '../errors.js';
import {
  CURRENT_FORMAT,
  FRAME_HEADER_LENGTH,
  MAX_PAYLOAD_LENGTH,
  RECORD_PREFIX_LENGTH,
  writeFrameHeader,
  writeRecordPrefix,
} from './frame.js';
import type { GroupWriter, FramePlace } from './group-writer.js';
import { RecordEncoder, type NewRecord } from './record.js';

export interface AppendFrame extends FramePlace {
  bytes: Buffer;
  positions: number[];
}

/**
 * Encodes records as the next frame of the log. `durable`: the position up to which the log is on disk by now; the
 * frame says so.
 * @throws {AppendTooLargeError} recovery would not accept so large a frame
 */
export function encodeFrame(
  records: readonly NewRecord[],
  writer: Pick<GroupWriter, 'place'>,
  durable: number,
): AppendFrame {
  let encoders: RecordEncoder[] = [];
  const place = writer.place((position) => {
    encoders = encodersAt(records, position);
    return frameLength(encoders);
  });
  // a frame that opens a segment has another position than the first layout assumed
  if (encoders[0]?.position !== place.position + FRAME_HEADER_LENGTH)
    encoders = encodersAt(records, place.position);
  const length = frameLength(encoders);
  const payload = length - FRAME_HEADER_LENGTH;
  if (payload > MAX_PAYLOAD_LENGTH) throw new AppendTooLargeError(payload, MAX_PAYLOAD_LENGTH);
  const bytes = Buffer.allocUnsafe(length);
  let at = FRAME_HEADER_LENGTH;
  for (const encoder of encoders) {
    const start = at + RECORD_PREFIX_LENGTH;
    at = encoder.write(bytes, start);
    writeRecordPrefix(bytes, start, at);
  }
  writeFrameHeader(bytes, place.position, durable);
  return { ...place, bytes, positions: encoders.map((encoder) => encoder.position) };
}

export function eachRecord(
  payload: Buffer,
  start: number,
  end: number,
  onRecord: (start: number, length: number) => void,
  { recordPrefixLength } = CURRENT_FORMAT,
): void {
  for (let at = start; at < end;) {
    const length = payload.readUInt32LE(at);
    at += recordPrefixLength;
    onRecord(at, length);
    at += length;
  }
}

function encodersAt(records: readonly NewRecord[], frame: number): RecordEncoder[] {
  let position = frame + FRAME_HEADER_LENGTH;
  return records.map((record) => {
    const encoder = new RecordEncoder(record, position);
    position += RECORD_PREFIX_LENGTH + encoder.size;
    return encoder;
  });
}

function frameLength(encoders: readonly RecordEncoder[]): number {
  return encoders.reduce((sum, encoder) => sum + RECORD_PREFIX_LENGTH + encoder.size, FRAME_HEADER_LENGTH);
}
