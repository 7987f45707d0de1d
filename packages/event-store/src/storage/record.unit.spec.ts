import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { RecordEncoder, RecordView, type NewRecord } from './record.js';
import { TOMBSTONE_REVISION } from './wire.js';

const name = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }).map((text) => Buffer.from(text));
const record: fc.Arbitrary<NewRecord> = fc.record({
  id: fc.uuid(),
  stream: name,
  revision: fc.oneof(fc.maxSafeNat(), fc.constant(TOMBSTONE_REVISION)),
  type: name,
  isJson: fc.boolean(),
  createdMs: fc.nat({ max: 4_000_000_000_000 }),
  data: fc.uint8Array({ maxLength: 40_000 }),
  metadata: fc.uint8Array({ maxLength: 300 }),
});

function encode(of: NewRecord, position: number, offset = 0): Buffer {
  const encoder = new RecordEncoder(of, position);
  const bytes = Buffer.alloc(offset + encoder.size);
  expect(encoder.write(bytes, offset)).toBe(bytes.length);
  return bytes;
}

describe('a record', () => {
  it('is the message that the protocol defines', () => {
    fc.assert(
      fc.property(record, fc.maxSafeNat(), (of, position) => {
        const event = streamsPb.ReadResp.deserializeBinary(encode(of, position)).getEvent()!;
        const recorded = event.getEvent()!;
        const revision = of.revision === TOMBSTONE_REVISION ? '9223372036854775807' : String(of.revision);
        expect(event.getCommitPosition()).toBe(String(position));
        expect(recorded.getCommitPosition()).toBe(String(position));
        expect(recorded.getPreparePosition()).toBe(String(position));
        expect(recorded.getId()!.getString()).toBe(of.id);
        expect(recorded.getStreamRevision()).toBe(revision);
        expect(Buffer.from(recorded.getStreamIdentifier()!.getStreamName_asU8())).toEqual(of.stream);
        expect(Buffer.from(recorded.getData_asU8())).toEqual(Buffer.from(of.data));
        expect(Buffer.from(recorded.getCustomMetadata_asU8())).toEqual(Buffer.from(of.metadata));
        expect(Object.fromEntries(recorded.getMetadataMap().toArray())).toEqual({
          type: of.type.toString(),
          created: `${of.createdMs}0000`,
          'content-type': of.isJson ? 'application/json' : 'application/octet-stream',
        });
      }),
      { numRuns: 200 },
    );
  });

  it('is read back as it was written, at any offset', () => {
    const view = new RecordView();
    fc.assert(
      fc.property(record, fc.maxSafeNat(), fc.nat({ max: 50 }), (of, position, offset) => {
        const bytes = encode(of, position, offset);
        view.at(bytes, offset);
        expect(view.id).toBe(of.id);
        expect(bytes.subarray(view.streamStart, view.streamEnd)).toEqual(of.stream);
        expect(bytes.subarray(view.typeStart, view.typeEnd)).toEqual(of.type);
        expect(view.data).toEqual(Buffer.from(of.data));
        expect(view).toMatchObject({
          revision: of.revision,
          position,
          isJson: of.isJson,
          createdMs: of.createdMs,
        });
      }),
      { numRuns: 200 },
    );
  });
});
