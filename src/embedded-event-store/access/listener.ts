import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Arrivals, peerOf, type ArrivalLimits } from './pending-connections.js';
import type { SameUser } from './same-user.js';
import type { TlsIdentity } from './tls-identity.js';

export interface ListenerOptions {
  host: string;
  port: number;
  access: SameUser | TlsIdentity;
  serveGrpc(socket: Socket): void;
  serveHttp(socket: Socket): void;
  limits?: ArrivalLimits;
}

export interface Listener {
  port: number;
  /** Over TLS: exempts a connection from the time limit after its first call with valid credentials. */
  admitted(peer: string): void;
  close(done?: () => void): void;
}

const LIMITS: ArrivalLimits = { unknown: 1024, silent: 256, ms: 10_000 };
/** HTTP/2 begins with the line `PRI * HTTP/2.0`, HTTP/1.1 with a method (RFC 9113, section 3.4). */
const HTTP2_BEGINS = Buffer.from('PRI');

export async function listen(options: ListenerOptions): Promise<Listener> {
  const { access, host, port, limits = LIMITS } = options;
  const arrivals = new Arrivals(limits);
  const isOverTls = 'certificate' in access;
  const serve = async (socket: Socket): Promise<void> => {
    const isGrpc = await beginsWithHttp2(socket);
    if (isGrpc === undefined) return;
    if (!isGrpc) return options.serveHttp(socket);
    if (!isOverTls) arrivals.admitted(peerOf(socket));
    options.serveGrpc(socket);
  };
  const server = isOverTls ? tlsServer(access, arrivals, serve) : sameUserServer(access, arrivals, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    admitted: (peer) => arrivals.admitted(peer),
    close: (done) => {
      server.close(done);
      arrivals.closeAll();
    },
  };
}

function sameUserServer(
  access: SameUser,
  arrivals: Arrivals,
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

/** A reset leaves no row in TIME_WAIT: thousands of such rows would slow down each lookup in the kernel's tables. */
function refuse(socket: Socket): void {
  socket.resetAndDestroy();
}

function tlsServer(
  { certificate, key }: TlsIdentity,
  arrivals: Arrivals,
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

/** Returns undefined if the peer disconnects first. Puts the bytes that it read back into the socket. */
async function beginsWithHttp2(socket: Socket): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    let begin = Buffer.alloc(0);
    const look = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk) begin = Buffer.concat([begin, chunk]);
      if (begin.length < HTTP2_BEGINS.length) return;
      socket.off('readable', look).off('close', gone);
      socket.unshift(begin);
      resolve(begin.subarray(0, HTTP2_BEGINS.length).equals(HTTP2_BEGINS));
    };
    const gone = (): void => resolve(undefined);
    socket.on('readable', look).once('close', gone);
  });
}
