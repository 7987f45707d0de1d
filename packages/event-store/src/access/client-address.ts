import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const CERTIFICATE_FILE = 'tls.crt';
export const CREDENTIALS_FILE = 'credentials';

interface StoreAddress {
  dir: string;
  host: string;
  port: number;
  tls: boolean;
}

/**
 * True if clients on this address need TLS and a password. Without them the store admits a connection by its user,
 * which can be recognized only on Linux and over loopback.
 */
export function isTlsRequired(host: string): boolean {
  return (
    process.platform !== 'linux' || !(host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host))
  );
}

export function publicAddress({ dir, host, port, tls }: StoreAddress): string {
  // TLS allows no IP address as server name (RFC 6066, section 3), and Node warns about one
  const name = tls && host === '127.0.0.1' ? 'localhost' : host;
  const at = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const certificate = encodeURIComponent(join(dir, CERTIFICATE_FILE));
  return tls ? `esdb://${at}?tls=true&tlsCAFile=${certificate}` : `esdb://${at}?tls=false`;
}

export async function clientAddress(place: StoreAddress): Promise<string> {
  const address = publicAddress(place);
  if (!place.tls) return address;
  const credentials = await readFile(join(place.dir, CREDENTIALS_FILE), 'utf8');
  const [user = '', ...password] = credentials.trim().split(':');
  const encoded = [user, password.join(':')].map(encodeURIComponent).join(':');
  return address.replace('//', () => `//${encoded}@`);
}
