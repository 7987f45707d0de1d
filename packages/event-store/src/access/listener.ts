import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { PendingConnections, remoteEndpointOf, type PendingConnectionLimits } from './pending-connections.js';
import type { SameUser } from './same-user.js';
import type { TlsIdentity } from './tls-identity.js';

export interface ListenerOptions {
  host: string;
  port: number;
  access: SameUser | TlsIdentity;
  serveGrpc(socket: Socket): void;
  serveHttp(socket: Socket): void;
  limits?: PendingConnectionLimits;
}

export interface Listener {
  port: number;
  /** Over TLS: ends the time limit of a connection, because a call on it had valid credentials. */
  release(peer: string): void;
  close(done?: () => void): void;
}

const LIMITS: PendingConnectionLimits = { unidentified: 1024, silent: 256, timeoutMs: 10_000 };
/**
 * First bytes of HTTP/2, which begins with the line `PRI * HTTP/2.0`. HTTP/1.1 begins with a method (RFC 9113,
 * section 3.4).
 */
const HTTP2_PREFIX = Buffer.from('PRI');

export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { access, host, port, limits = LIMITS } = options;
  const arrivals = new PendingConnections(limits);
  const isOverTls = 'certificate' in access;
  const serve = async (socket: Socket): Promise<void> => {
    const isGrpc = await beginsWithHttp2(socket);
    if (isGrpc === undefined) return;
    if (!isGrpc) return options.serveHttp(socket);
    if (!isOverTls) arrivals.release(remoteEndpointOf(socket));
    options.serveGrpc(socket);
  };
  const server = isOverTls ? tlsServer(access, arrivals, serve) : sameUserServer(access, arrivals, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    release: (peer) => arrivals.release(peer),
    close: (done) => {
      server.close(done);
      arrivals.closeAll();
    },
  };
}

function sameUserServer(
  access: SameUser,
  arrivals: PendingConnections,
  serve: (socket: Socket) => Promise<void>,
): Server {
  return createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    if (!arrivals.awaitOwner(socket)) return refuse(socket);
    void access.admits(socket).then((admitted) => {
      if (socket.destroyed) return undefined;
      if (!admitted) return refuse(socket);
      arrivals.awaitFirstBytes(socket);
      return serve(socket);
    });
  });
}

/**
 * Refuses a connection by a reset, which leaves no row in TIME_WAIT: thousands of such rows would slow down each
 * lookup in the tables of the kernel.
 */
function refuse(socket: Socket): void {
  socket.resetAndDestroy();
}

function tlsServer(
  { certificate, key }: TlsIdentity,
  arrivals: PendingConnections,
  serve: (socket: Socket) => Promise<void>,
): Server {
  const options = {
    cert: certificate,
    key,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    pauseOnConnect: true,
    noDelay: true,
  } as const;
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => socket.destroy());
    void serve(socket);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server.on('connection', (socket: Socket) => arrivals.awaitFirstBytes(socket));
}

/**
 * True if the client begins with HTTP/2, as gRPC does; false: HTTP/1.1; undefined: it disconnected first. Puts the
 * bytes read back into the socket.
 */
async function beginsWithHttp2(socket: Socket): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    let prefix = Buffer.alloc(0);
    const readPrefix = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk) prefix = Buffer.concat([prefix, chunk]);
      if (prefix.length < HTTP2_PREFIX.length) return;
      socket.off('readable', readPrefix).off('close', onClose);
      socket.unshift(prefix);
      resolve(prefix.subarray(0, HTTP2_PREFIX.length).equals(HTTP2_PREFIX));
    };
    const onClose = (): void => resolve(undefined);
    socket.on('readable', readPrefix).once('close', onClose);
  });
}
