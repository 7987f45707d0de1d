import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createPlainServer } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, expect, it } from '@jest/globals';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import type { AddressOptions } from '../../base/config/event-store-options.js';
import { createSelfSigned } from '@plaza/event-store';
import { tlsFault } from './tls-faults.js';

const YEAR_MS = 365 * 86_400_000;
const stop: (() => void)[] = [];

afterEach(() => {
  for (const each of stop.splice(0)) each();
});

function certificate(from: number, to: number, name = 'localhost') {
  const at = (years: number) => new Date(Date.now() + years * YEAR_MS);
  return createSelfSigned({ names: [name], notBefore: at(from), notAfter: at(to), serial: Buffer.of(1) });
}
const valid = certificate(-1, 1);

async function portOf(server: ReturnType<typeof createServer | typeof createPlainServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stop.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const tlsServer = ({ certificate: cert, key } = valid) =>
  portOf(createServer({ cert, key, ALPNProtocols: ['h2'] }));
const silentServer = () => portOf(createPlainServer());
const plainServer = () =>
  portOf(createPlainServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));

const faultAt = (ports: readonly number[], ca = valid.certificate, options: AddressOptions = {}) => {
  const connection: EventStoreConnection = {
    hosts: ports.map((port) => ({ address: 'localhost', port })),
    discovers: false,
    credentials: undefined,
    options: { ...(ca !== '' && { tlsCAFile: '/a/file' }), ...options },
    files: ca === '' ? {} : { rootCertificate: Buffer.from(ca) },
  };
  return tlsFault(connection, []);
};

it('finds no fault where TLS works', async () => {
  expect(await faultAt([await tlsServer()])).toBeUndefined();
});

it('names a CA file that belongs to another CA', async () => {
  expect(await faultAt([await tlsServer()], certificate(-1, 1).certificate)).toBe(
    'The certificate of the event store is not signed by the CA that tlsCAFile in EVENTSTORE_URL names: name the CA that signed it.',
  );
});

it('asks for a CA file when this machine does not know the CA', async () => {
  expect(await faultAt([await tlsServer()], '')).toMatch(/name that CA with tlsCAFile in EVENTSTORE_URL\.$/);
});

it('reports a certificate that is expired, not valid yet, or for another host', async () => {
  const [old, young, other] = [certificate(-2, -1), certificate(1, 2), certificate(-1, 1, 'other.example')];
  expect(await faultAt([await tlsServer(old)], old.certificate)).toMatch(/has expired: renew it/);
  expect(await faultAt([await tlsServer(young)], young.certificate)).toMatch(
    /is not valid yet: compare the clocks/,
  );
  expect(await faultAt([await tlsServer(other)], other.certificate)).toMatch(/is for other hosts than those/);
});

it('reports a server whose TLS setting differs', async () => {
  expect(await faultAt([await plainServer()])).toMatch(/does not speak TLS: .* tls=false/);
  expect(await faultAt([await tlsServer()], '', { tls: false })).toMatch(
    /speaks TLS, .* tls=false: remove it/,
  );
  expect(await faultAt([await plainServer()], '', { tls: false })).toBeUndefined();
});

it('treats a server without an answer as an outage', async () => {
  const port = await silentServer();
  for (const options of [{}, { tls: false }])
    expect(await faultAt([port], valid.certificate, options)).toBeUndefined();
  stop.pop()?.();
  expect(await faultAt([port])).toBeUndefined();
});

it('checks every node of a cluster, of which one must work', async () => {
  const [well, ill, away] = [await tlsServer(), await tlsServer(certificate(-1, 1)), 1];
  expect(await faultAt([away, ill])).toMatch(/tlsCAFile/);
  expect(await faultAt([away, ill, well])).toBeUndefined();
});
