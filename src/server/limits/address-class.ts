import { BlockList, isIP } from 'node:net';
import type { AddressClass } from '../../log/recorded.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const privateNetworks = new BlockList();
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4');
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4');
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4');
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4');
privateNetworks.addSubnet('169.254.0.0', 16, 'ipv4');
privateNetworks.addSubnet('fc00::', 7, 'ipv6');
privateNetworks.addSubnet('fe80::', 10, 'ipv6');

/**
 * Returns the kind of network of an address, which the log stores in place of the address. Private: RFC 1918, RFC 6598,
 * link-local and RFC 4193.
 */
export function addressClassOf(address: string): AddressClass {
  const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  const version = isIP(plain);
  if (version === 0) return 'unknown';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (loopback.check(plain, family)) return 'loopback';
  if (privateNetworks.check(plain, family)) return 'private';
  return version === 4 ? 'public-ipv4' : 'public-ipv6';
}
