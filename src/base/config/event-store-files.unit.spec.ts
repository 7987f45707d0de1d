import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSelfSigned } from '@plaza/event-store';
import { ConfigError, readConfig } from './config.js';
import { readEventStoreAddress } from './event-store-files.js';

const dir = mkdtempSync(join(tmpdir(), 'plaza-tls-'));
const pathOf = (name: string) => join(dir, name);
const option = (name: string, file: string) => `${name}=${encodeURIComponent(pathOf(file))}`;
const urlWith = (...options: string[]) => `esdb://ann:secret@db?${options.join('&')}`;

beforeAll(() => {
  const dates = { notBefore: new Date(0), notAfter: new Date(1e12) };
  const { certificate, key } = createSelfSigned({ names: ['db'], ...dates, serial: Buffer.of(1) });
  writeFileSync(pathOf('certificate'), certificate);
  writeFileSync(pathOf('key'), key);
  writeFileSync(pathOf('neither'), 'secret');
});

afterAll(() => rmSync(dir, { recursive: true }));

it('reads the files named by an address', () => {
  const { files } = readEventStoreAddress(
    urlWith(
      option('tlsCAFile', 'certificate'),
      option('userCertFile', 'certificate'),
      option('userKeyFile', 'key'),
    ),
  );
  expect(String(files.rootCertificate)).toContain('BEGIN CERTIFICATE');
  expect(files.userCertFile).toEqual(files.rootCertificate);
  expect(String(files.userKeyFile)).toContain('PRIVATE KEY');
});

it('reads no file without TLS', () => {
  expect(readEventStoreAddress(urlWith('tls=false', option('tlsCAFile', 'missing'))).files).toEqual({});
});

it.each([
  [option('tlsCAFile', 'missing'), 'tlsCAFile names a file that does not exist'],
  [option('tlsCAFile', ''), 'tlsCAFile names a file that cannot be read (EISDIR)'],
  [option('tlsCAFile', 'neither'), 'tlsCAFile names a file in which there is no certificate (PEM)'],
  [option('userCertFile', 'certificate'), 'userCertFile and userKeyFile must be named together'],
  [
    `${option('userCertFile', 'certificate')}&${option('userKeyFile', 'neither')}`,
    'userKeyFile names a file in which there is no private key (PEM)',
  ],
])('reports an unusable file: %#', (options, fault) => {
  const start = () => readConfig({ EVENTSTORE_URL: urlWith(options) });
  expect(start).toThrow(new ConfigError([`EVENTSTORE_URL: ${fault}`]));
});
