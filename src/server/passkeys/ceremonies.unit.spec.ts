import { expect, it } from '@jest/globals';
import { refuseCertificates } from './ceremonies.js';

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);

/** CBOR of an attestation object. `statement`: CBOR, too. */
const attestation = (format: string, statement: Buffer): string =>
  Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text(format),
    text('attStmt'),
    statement,
    text('authData'),
    Buffer.from([0x40]),
  ]).toString('base64url');

const empty = Buffer.from([0xa0]);
const withCertificates = Buffer.concat([Buffer.from([0xa1]), text('x5c'), Buffer.from([0x80])]);

it.each([
  ['none', empty],
  ['packed', empty],
])('a new passkey may come without certificates: %s', async (format, statement) => {
  await expect(refuseCertificates(attestation(format, statement))).resolves.toBeUndefined();
});

it.each([
  ['packed', withCertificates],
  ['apple', empty],
  ['android-safetynet', empty],
  ['tpm', empty],
])('certificates are refused unread, since they name addresses to fetch: %s', async (format, statement) => {
  await expect(refuseCertificates(attestation(format, statement))).rejects.toThrow('has an attestation');
});
