import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSelfSigned } from './self-signed.js';

const made = (names: readonly string[]) =>
  createSelfSigned({
    names,
    notBefore: new Date('2026-01-02T03:04:05Z'),
    notAfter: new Date('2051-01-02T03:04:05Z'),
    serial: Buffer.from('fe01', 'hex'),
  });

describe('a certificate that signs itself', () => {
  it('has its names, validity and key', () => {
    const { certificate, key } = made(['localhost', '127.0.0.1', '::1', 'log.example']);
    const x509 = new X509Certificate(certificate);
    expect(x509.verify(x509.publicKey)).toBe(true);
    expect(x509.checkIssued(x509)).toBe(true);
    expect(x509.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(x509.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:log.example',
    );
    expect(x509.checkHost('log.example')).toBe('log.example');
    expect(x509.checkHost('other.example')).toBeUndefined();
    expect(x509.validFromDate).toEqual(new Date('2026-01-02T03:04:05Z'));
    expect(x509.validToDate).toEqual(new Date('2051-01-02T03:04:05Z'));
    expect(x509.serialNumber).toBe('01FE01');
    expect(x509.ca).toBe(true);
  });

  it('accepts many and long names', () => {
    const names = Array.from({ length: 40 }, (_, i) => `${'host'.repeat(10)}-${i}.example`);
    const x509 = new X509Certificate(made(names).certificate);
    expect(names.filter((name) => x509.checkHost(name) === undefined)).toEqual([]);
  });
});
