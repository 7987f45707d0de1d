import { isIP } from 'node:net';

/**
 * Returns the addresses that one client may hold, which limits count as one: a whole IPv4 address, or the first 64 bits
 * of an IPv6 address (RFC 4291, section 2.5.1). IPv4-mapped IPv6 counts as IPv4 (section 2.5.5.2).
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

function groupsOf(address: string): number[] {
  const [withoutZone = ''] = address.split('%');
  const [before = '', after] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::');
  const [head, tail] = [before, after ?? ''].map((part) => part.split(':').filter(Boolean)) as [
    string[],
    string[],
  ];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
