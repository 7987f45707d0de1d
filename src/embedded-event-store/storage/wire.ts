/**
 * The three primitives of the protobuf encoding that the log writes by hand: lengths, varints, tagged bytes.
 * https://protobuf.dev/programming-guides/encoding
 */

/** Revision of a tombstone: the largest int64, as EventStoreDB numbers it; the nearest number is 2^63. */
export const TOMBSTONE_REVISION = 2 ** 63;

const TOMBSTONE_VARINT = Buffer.from('ffffffffffffffff7f', 'hex');

/** Bytes a varint takes; n is a whole number below 2^53, or TOMBSTONE_REVISION. */
export function varintSize(n: number): number {
  if (n === TOMBSTONE_REVISION) return TOMBSTONE_VARINT.length;
  let size = 1;
  for (let rest = n; rest >= 128; rest /= 128) size++;
  return size;
}

/** Writes a varint and returns the offset behind it. */
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

/** Writes tag, length and bytes of a length-delimited field whose number is below 16; returns the offset behind it. */
export function writeBytes(to: Buffer, at: number, field: number, bytes: Uint8Array): number {
  to[at] = (field << 3) | 2;
  const start = writeVarint(to, at + 1, bytes.length);
  to.set(bytes, start);
  return start + bytes.length;
}

/** Bytes that `writeBytes` takes for a value of this length. */
export function bytesSize(length: number): number {
  return 1 + varintSize(length) + length;
}

/** A reading position in encoded bytes; `varint` advances it. */
export class WireReader {
  constructor(
    public bytes: Buffer,
    public at: number,
  ) {}

  /** Reads a varint as a number; values from 2^53 on lose their last digits, which only tombstone revisions do. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError('a varint runs past the end of its bytes');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** Skips a one-byte tag and reads the varint behind it. */
  taggedVarint(): number {
    this.at++;
    return this.varint();
  }
}
