import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AppendTooLargeError } from '../errors.js';
import { encodeFrame, type AppendFrame } from './append-frame.js';
import { checkFrame, FRAME_HEADER_LENGTH, MAX_PAYLOAD_LENGTH } from './frame.js';
import type { NewRecord } from './record.js';

const POSITION = 32;
const MEBIBYTE = 1024 * 1024;

function record(over: Partial<NewRecord> = {}): NewRecord {
  const names = { stream: Buffer.from('s'), type: Buffer.from('t') };
  const contents = { isJson: false, data: Buffer.alloc(0), metadata: Buffer.alloc(0) };
  return { id: randomUUID(), ...names, revision: 0, createdMs: 0, ...contents, ...over };
}

function encode(records: readonly NewRecord[]): AppendFrame {
  return encodeFrame(records, { place: () => ({ position: POSITION, opensSegment: false }) }, POSITION);
}

describe('a frame', () => {
  it('is refused from the first byte beyond the limit of recovery', () => {
    const overhead = encode([record({ data: Buffer.alloc(MAX_PAYLOAD_LENGTH - MEBIBYTE) })]).bytes.length;
    const room = MAX_PAYLOAD_LENGTH - (overhead - FRAME_HEADER_LENGTH) + MAX_PAYLOAD_LENGTH - MEBIBYTE;
    const { bytes } = encode([record({ data: Buffer.alloc(room) })]);
    expect(bytes.length - FRAME_HEADER_LENGTH).toBe(MAX_PAYLOAD_LENGTH);
    expect(checkFrame(bytes, 0, bytes.length, POSITION)).toMatchObject({ kind: 'frame' });
    expect(() => encode([record({ data: Buffer.alloc(room + 1) })])).toThrow(AppendTooLargeError);
  });

  it('counts the stream name of every record', () => {
    const stream = Buffer.alloc(MEBIBYTE, 'x');
    const records = Array.from({ length: 70 }, (_, revision) => record({ stream, revision }));
    expect(() => encode(records)).toThrow(/at most 67108864 are allowed/);
  });
});
