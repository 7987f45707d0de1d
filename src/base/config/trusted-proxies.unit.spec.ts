import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { TrustedProxies } from './trusted-proxies.js';

describe('trusted proxies', () => {
  const proxies = new TrustedProxies(['10.1.0.0/16', '192.0.2.7', '2001:db8:1::/48']);

  it.each([
    ['10.1.255.3', true],
    ['10.2.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['::ffff:10.1.0.1', true],
    ['2001:db8:1:ffff::9', true],
    ['2001:db8:2::1', false],
    ['unknown', false],
    ['', false],
  ])('are matched by address: %s', (address, expected) => {
    expect(proxies.trusts(address)).toBe(expected);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
    ['2001:db8:2::1', '2001:db8:2::1'],
    // A proxy sent no address, or an invalid one.
    ['10.1.0.1', undefined],
    ['::ffff:192.0.2.7', undefined],
    ['::ffff:c000:207', undefined],
    ['unknown', undefined],
    ['203.0.113.9:4711', undefined],
    ['', undefined],
  ])('never count as the client: %s', (nearest, expected) => {
    expect(proxies.connectingAddress(nearest)).toBe(expected);
  });

  it.each([
    ['203.0.113.9', '198.51.100.1'],
    ['10.1.0.1', '198.51.100.1'],
    ['10.1.0.1', '198.51.100.1, 203.0.113.9 , 10.1.0.2'],
    ['10.1.0.1', '10.1.0.3, 10.1.0.2'],
    ['10.1.0.1', ''],
  ])('find the address that Fastify finds: %s for %s', async (peer, forwarded) => {
    const server = fastify({ trustProxy: (address: string) => proxies.trusts(address) });
    let found: string | undefined;
    server.get('/', ({ ip, raw }) => {
      found = proxies.nearestAddress(raw);
      return ip;
    });
    const headers = forwarded === '' ? {} : { 'x-forwarded-for': forwarded };
    const { body } = await server.inject({ url: '/', remoteAddress: peer, headers });
    expect(found).toBe(body);
  });

  it('leave the connecting address as the client if there are none', () => {
    expect(new TrustedProxies([]).connectingAddress('10.1.0.1')).toBe('10.1.0.1');
  });

  it.each(['10.1.0.0/33', '10.1.0.0/', '10.1.0.0/8/8', '10.1.0.0/-1', 'proxy.example', '2001:db8::/129'])(
    'are addresses and CIDRs: %s',
    (range) => {
      expect(() => new TrustedProxies([range])).toThrow(
        'a trusted proxy must be an IP address or a CIDR range',
      );
    },
  );
});
