import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { makeCertificate } from '../../support/certificate.js';

export interface TlsProxy {
  stop(): Promise<void>;
}

/** Terminates https with a self-signed certificate, and forwards to `upstream` as http. */
export async function startTlsProxy(
  port: number,
  upstream: number,
  certificate = selfMadeCertificate(),
): Promise<TlsProxy> {
  const open = new Set<TLSSocket>();
  const server = createServer(certificate, (client) => {
    const network = connect(upstream, '127.0.0.1');
    open.add(client);
    client.once('close', () => void (open.delete(client), network.destroy()));
    network.once('close', () => client.destroy());
    for (const socket of [client, network]) socket.on('error', () => socket.destroy());
    client.pipe(network).pipe(client);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function selfMadeCertificate(): { key: Buffer; cert: Buffer } {
  const directory = mkdtempSync(join(tmpdir(), 'plaza-tls-'));
  try {
    const { key, cert } = makeCertificate(directory);
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
