import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UnusableFileError } from '../errors.js';
import { OWNER_ONLY } from '../storage/directory.js';
import { CERTIFICATE_FILE, CREDENTIALS_FILE } from './client-address.js';
import { createSelfSigned } from './self-signed.js';
import type { SelfSignedCertificate } from './self-signed.js';

/** Certificate and private key in PEM, and the user and password that every client must send. */
export interface TlsIdentity {
  certificate: string;
  key: string;
  user: string;
  password: string;
  credentialsFile: string;
}

interface TlsIdentityOptions {
  dir: string;
  host: string;
  now: () => { getTime(): number };
}

const USER = 'plaza';
/**
 * Content of the credentials file. The password must have 16 characters: an empty or truncated file is replaced, and
 * never allows an empty password.
 */
const CREDENTIALS = /^([^\s:]+):(\S{16,})\s*$/;
const VALID_YEARS = 10;
const RENEW_DAYS = 365;
const DAY_MS = 86_400_000;
const OWN_NAMES = ['localhost', '127.0.0.1', '::1'];
const WILDCARDS = new Set(['0.0.0.0', '::']);

/**
 * Reads certificate, key and credentials from the directory of the store, and creates the missing ones. Creates a new
 * certificate if the host has changed, or a year before it expires.
 * @throws {UnusableFileError} the certificate or key is damaged
 */
export async function tlsIdentity(options: TlsIdentityOptions): Promise<TlsIdentity> {
  const credentialsFile = join(options.dir, CREDENTIALS_FILE);
  const { certificate, key } = await keyAndCertificate(options);
  const stored = CREDENTIALS.exec((await readIfExists(credentialsFile)) ?? '');
  const [, user = USER, password = randomBytes(32).toString('base64url')] = stored ?? [];
  if (!stored) await writeAtomically(credentialsFile, `${user}:${password}\n`);
  return { certificate, key, user, password, credentialsFile };
}

async function keyAndCertificate({ dir, host, now }: TlsIdentityOptions): Promise<SelfSignedCertificate> {
  const certificateFile = join(dir, CERTIFICATE_FILE);
  const keyFile = join(dir, 'tls.key');
  const names = [...OWN_NAMES, WILDCARDS.has(host) ? hostname() : host];
  const certificate = await readIfExists(certificateFile);
  const key = await readIfExists(keyFile);
  if (certificate !== undefined && key !== undefined)
    try {
      if (isUsable({ certificate, key }, names, now().getTime())) return { certificate, key };
    } catch (cause) {
      throw new UnusableFileError(
        `${certificateFile} or ${keyFile} is damaged: remove both, and the next start creates new ones`,
        { cause },
      );
    }
  // tolerates clients whose clock is behind
  const notBefore = new Date(now().getTime() - DAY_MS);
  const notAfter = new Date(notBefore);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + VALID_YEARS);
  const created = createSelfSigned({
    names: [...new Set(names)],
    notBefore,
    notAfter,
    serial: randomBytes(16),
  });
  await writeAtomically(keyFile, created.key);
  await writeAtomically(certificateFile, created.certificate);
  return created;
}

function isUsable(
  { certificate, key }: SelfSignedCertificate,
  names: readonly string[],
  nowMs: number,
): boolean {
  const x509 = new X509Certificate(certificate);
  return (
    x509.checkPrivateKey(createPrivateKey(key)) &&
    x509.validToDate.getTime() - nowMs > RENEW_DAYS * DAY_MS &&
    names.every((name) => (isIP(name) ? x509.checkIP(name) : x509.checkHost(name)) !== undefined)
  );
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeAtomically(path: string, content: string): Promise<void> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  await writeFile(unfinished, content, { mode: OWNER_ONLY, flag: 'wx', flush: true });
  await rename(unfinished, path);
}
