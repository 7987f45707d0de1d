const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const EMPTY = '00000000-0000-0000-0000-000000000000';

export const EVENT_ID_LENGTH = 36;

/**
 * Returns an event id in lower case; undefined: the text is no UUID, or the empty UUID, which the protocol forbids.
 */
export function canonicalEventId(text: string): string | undefined {
  const id = text.toLowerCase();
  return UUID.test(id) && id !== EMPTY ? id : undefined;
}

/** Converts an event id from the form that .NET and Java clients send, two signed 64-bit halves, to text. */
export function eventIdOfHalves(most: bigint, least: bigint): string {
  const hex = [most, least].map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function halvesOfEventId(id: string): { most: bigint; least: bigint } {
  const hex = id.replaceAll('-', '');
  return {
    most: BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`)),
    least: BigInt.asIntN(64, BigInt(`0x${hex.slice(16)}`)),
  };
}
