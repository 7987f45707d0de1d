import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AddressError, parseEventStoreAddress } from './event-store-address.js';
import type { EventStoreAddress } from './event-store-address.js';

export interface TlsFiles {
  readonly rootCertificate?: Buffer;
  readonly userCertFile?: Buffer;
  readonly userKeyFile?: Buffer;
}

export interface EventStoreConnection extends EventStoreAddress {
  readonly files: TlsFiles;
}

export function readEventStoreAddress(url: string): EventStoreConnection {
  const address = parseEventStoreAddress(url);
  return { ...address, files: readTlsFiles(address) };
}

function readTlsFiles({ options }: EventStoreAddress): TlsFiles {
  const { tls = true, tlsCAFile, userCertFile, userKeyFile } = options;
  if (!tls) return {};
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new AddressError(['userCertFile and userKeyFile must be named together']);
  return {
    // The client would accept a file without a certificate as a CA that signed nothing.
    ...(tlsCAFile !== undefined && {
      rootCertificate: read('tlsCAFile', tlsCAFile, 'certificate', (pem) => new X509Certificate(pem)),
    }),
    ...(userCertFile !== undefined && {
      userCertFile: read('userCertFile', userCertFile, 'certificate', (pem) => new X509Certificate(pem)),
    }),
    ...(userKeyFile !== undefined && {
      userKeyFile: read('userKeyFile', userKeyFile, 'private key', createPrivateKey),
    }),
  };
}

function read(option: string, path: string, what: string, parse: (pem: Buffer) => unknown): Buffer {
  const content = contentOf(option, path);
  try {
    parse(content);
  } catch {
    throw new AddressError([`${option} names a file in which there is no ${what} (PEM)`]);
  }
  return content;
}

function contentOf(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AddressError([
      code === 'ENOENT'
        ? `${option} names a file that does not exist`
        : `${option} names a file that cannot be read (${code})`,
    ]);
  }
}
