import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const canMakeCertificate = spawnSync('openssl', ['version']).status === 0;

/** Writes a self-signed certificate for `localhost`, with its key, into a directory. Returns the paths of both. */
export function makeCertificate(directory: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
  const about = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...about, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { key, cert };
}
