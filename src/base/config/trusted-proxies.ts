import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { all } from '@fastify/proxy-addr';

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
   * trusted. Empty: the connection is closed.
   */
  nearestAddress(request: IncomingMessage): string {
    return all(request, (address) => this.trusts(address)).at(-1) ?? '';
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
