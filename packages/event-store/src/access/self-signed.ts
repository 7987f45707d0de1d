/**
 * A self-signed X.509 certificate (RFC 5280), for a server whose clients get the certificate in a file.
 * Node cannot create certificates. The shape is fixed, so this file writes the few DER structures itself.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes } from './ip-address.js';

export interface SelfSignedOptions {
  names: readonly string[];
  notBefore: Date;
  notAfter: Date;
  /** Random serial number of the certificate, 19 bytes at most: one byte is added, and RFC 5280 allows 20. */
  serial: Buffer;
}

export interface SelfSignedCertificate {
  certificate: string;
  key: string;
}

const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
};
const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
};
const TRUE = Buffer.from('0101ff', 'hex');
/** Tags of the two kinds of names that a certificate is valid for (GeneralName, RFC 5280 section 4.2.1.6). */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const VERSION_3 = Buffer.from('a003020102', 'hex');
const EXTENSIONS = 0xa3;

export function createSelfSigned({
  names,
  notBefore,
  notAfter,
  serial,
}: SelfSignedOptions): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const name = sequence(
    der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8, Buffer.from('event store')))),
  );
  const content = sequence(
    VERSION_3,
    der(TAG.integer, Buffer.concat([Buffer.of(0x01), serial])),
    algorithm,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      EXTENSIONS,
      sequence(
        extension(OID.basicConstraints, sequence(TRUE), TRUE),
        extension(OID.subjectAltName, sequence(...names.map(generalName))),
      ),
    ),
  );
  const signature = der(TAG.bits, Buffer.concat([Buffer.of(0), sign('sha256', content, privateKey)]));
  return {
    certificate: pem(sequence(content, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), body]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, ...parts);
}

function oid(encoded: string): Buffer {
  return der(TAG.oid, Buffer.from(encoded, 'hex'));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(TAG.time, Buffer.from(digits));
}

function extension(id: string, value: Buffer, ...critical: readonly Buffer[]): Buffer {
  return sequence(oid(id), ...critical, der(TAG.octets, value));
}

function generalName(name: string): Buffer {
  return isIP(name) ? der(IP_ADDRESS, addressBytes(name)) : der(DNS_NAME, Buffer.from(name));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
