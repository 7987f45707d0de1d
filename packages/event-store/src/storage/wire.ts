/**
 * Protobuf primitives that the log encodes itself: lengths, varints, tagged bytes.
 * https://protobuf.dev/programming-guides/encoding
 */

/**
 * Revision of a tombstone. In EventStoreDB it is the largest int64, 2^63 - 1; the nearest number in JavaScript is
 * 2^63.
 */
export const TOMBSTONE_REVISION = 2 ** 63;

const TOMBSTONE_VARINT = Buffer.from('ffffffffffffffff7f', 'hex');

export function varintSize(n: number): number {
  if (n === TOMBSTONE_REVISION) return TOMBSTONE_VARINT.length;
  let size = 1;
  for (let rest = n; rest >= 128; rest /= 128) size++;
  return size;
}

export function writeVarint(to: Buffer, at: number, n: number): number {
  if (n === TOMBSTONE_REVISION) return at + TOMBSTONE_VARINT.copy(to, at);
  let rest = n;
  while (rest >= 128) {
    to[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  to[at++] = rest;
  return at;
}

export function writeBytes(to: Buffer, at: number, field: number, bytes: Uint8Array): number {
  to[at] = (field << 3) | 2;
  const start = writeVarint(to, at + 1, bytes.length);
  to.set(bytes, start);
  return start + bytes.length;
}

export function bytesSize(length: number): number {
  return 1 + varintSize(length) + length;
}

export class WireReader {
  constructor(
    public bytes: Buffer,
    public at: number,
  ) {}

  /** Reads a varint. Values from 2^53 on lose their last digits; only the revisions of tombstones are so large. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined)
        throw new RangeError('the bytes of a stored record end within a number (varint)');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  taggedVarint(): number {
    this.at++;
    return this.varint();
  }
}
