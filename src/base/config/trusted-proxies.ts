import { BlockList, isIP } from 'node:net';

export class TrustedProxies {
  private readonly proxies = new BlockList();

  constructor(ranges: readonly string[]) {
    for (const [address, bits, family] of ranges.map(read)) {
      if (family === undefined) throw new TypeError('a trusted proxy must be an IP address or a CIDR range');
      this.proxies.addSubnet(address, bits, family);
    }
  }

  trusts(address: string): boolean {
    const family = familyOf(address);
    return family !== undefined && this.proxies.check(address, family);
  }

  /**
   * @returns The `request.ip` of a server that uses {@link trusts}: the last untrusted address, or the first if all are
   * trusted.
   * @param forwarded the header `x-forwarded-for`
   */
  nearestAddress(peer: string, forwarded = ''): string {
    if (!this.trusts(peer)) return peer;
    const hops = [
      ...forwarded
        .split(',')
        .map((hop) => hop.trim())
        .filter(Boolean),
      peer,
    ];
    return hops.findLast((hop) => !this.trusts(hop)) ?? hops[0] ?? peer;
  }

  /**
   * @returns The client's address; undefined: a trusted proxy forwarded the request without a valid one.
   * @param nearest `request.ip` of a server that uses {@link trusts}: the last untrusted address, or the first if all
   * are trusted.
   */
  connectingAddress(nearest: string): string | undefined {
    return familyOf(nearest) === undefined || this.trusts(nearest) ? undefined : nearest;
  }
}

export function isAddressRange(text: string): boolean {
  return read(text)[2] !== undefined;
}

function read(range: string): readonly [string, number, 'ipv4' | 'ipv6' | undefined] {
  const [address = '', bits, more] = range.split('/');
  const family = familyOf(address);
  const maxBits = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? maxBits : /^\d+$/.test(bits) ? Number(bits) : Infinity;
  return [address, prefix, more === undefined && prefix <= maxBits ? family : undefined];
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
