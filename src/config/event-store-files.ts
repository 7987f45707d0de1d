import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AddressError, parseEventStoreAddress } from './event-store-address.js';
import type { EventStoreAddress } from './event-store-address.js';

/** What the files of an address have in them, by the names under which the client takes it. */
export interface TlsFiles {
  readonly rootCertificate?: Buffer;
  readonly userCertFile?: Buffer;
  readonly userKeyFile?: Buffer;
}

/** An address, with what its files had in them when it was read. */
export interface EventStoreConnection extends EventStoreAddress {
  readonly files: TlsFiles;
}

/** Takes a connection string apart, and reads the files that it names. @throws {AddressError} */
export function readEventStoreAddress(url: string): EventStoreConnection {
  const address = parseEventStoreAddress(url);
  return { ...address, files: readTlsFiles(address) };
}

function readTlsFiles({ options }: EventStoreAddress): TlsFiles {
  const { tls = true, tlsCAFile, userCertFile, userKeyFile } = options;
  // The client leaves them alone then.
  if (!tls) return {};
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new AddressError(['userCertFile and userKeyFile must be named together']);
  return {
    // A file without a certificate would be taken for a CA that has signed nothing.
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

/** `parse` throws where the file has no `what` in it. */
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
