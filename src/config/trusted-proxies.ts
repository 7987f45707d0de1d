import { BlockList, isIP } from 'node:net';

/** What `TRUSTED_PROXIES` names: the proxies whose `X-Forwarded-For` is believed. */
export class TrustedProxies {
  private readonly proxies = new BlockList();

  /** @param ranges addresses and CIDRs, see {@link isRange}. */
  constructor(ranges: readonly string[]) {
    for (const [address, bits, family] of ranges.map(read)) {
      if (family === undefined) throw new TypeError('neither an address nor a CIDR');
      this.proxies.addSubnet(address, bits, family);
    }
  }

  /** Whether it is a trusted proxy that has this address. */
  trusts(address: string): boolean {
    const family = familyOf(address);
    return family !== undefined && this.proxies.check(address, family);
  }

  /**
   * The address that a request comes from. Undefined where nobody trustworthy says it: a trusted
   * proxy passed the request on without it, or with something that is none.
   * @param nearest `request.ip` of a server that asks {@link trusts}: the last address that no trusted proxy has, or
   * the first of all if they have every one.
   */
  connectingAddress(nearest: string): string | undefined {
    return familyOf(nearest) === undefined || this.trusts(nearest) ? undefined : nearest;
  }
}

/** Whether this is an address or a CIDR. */
export function isRange(text: string): boolean {
  return read(text)[2] !== undefined;
}

/** Address, bits of its prefix, family; the family is undefined where it is no range. */
function read(range: string): readonly [string, number, 'ipv4' | 'ipv6' | undefined] {
  const [address = '', bits, more] = range.split('/');
  const family = familyOf(address);
  const most = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? most : /^\d+$/.test(bits) ? Number(bits) : Infinity;
  return [address, prefix, more === undefined && prefix <= most ? family : undefined];
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
