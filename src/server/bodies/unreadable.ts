import { maxHeaderSize } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isProtocolPath } from '../error.filter.js';

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Messages for requests that Node cannot parse, by Node's error code; any other code means malformed HTTP. */
const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The address and the headers are too large; send at most ${maxHeaderSize / 1024} KiB.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long; send it again.',
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const exchanges = new WeakMap<Duplex, readonly Exchange[]>();

/** Call it before {@link refuseUnreadable}, which refuses nothing while another answer of the connection is open. */
export function trackExchanges(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    exchanges.set(socket, [...openExchanges(socket), { request, response }]);
  });
}

function openExchanges(socket: Duplex): readonly Exchange[] {
  return (exchanges.get(socket) ?? []).filter(
    ({ request, response }) => !request.complete || !response.writableEnded,
  );
}

/** False: the client would read the refusal as the answer to an earlier request, or as a part of that answer. */
function isRefusalExpected(socket: Duplex): boolean {
  const [first, second] = openExchanges(socket);
  if (!first) return true;
  return !second && !first.request.complete && !first.response.headersSent;
}

/**
 * Answers input that Node cannot parse as a request. Node has no response object for it, so the answer is written by
 * hand.
 */
export function refuseUnreadable(
  { code = '', rawPacket }: ClientError,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const target = /^[A-Z]+ (\S+)/.exec(rawPacket?.toString('latin1') ?? '')?.[1] ?? '';
  answer(socket, target, messages[code] ?? 'This is not a well-formed HTTP request.', headers);
}

/** Time for a client to close the connection of a refused CONNECT. */
const TUNNEL_CLOSE_MS = 1_000;

/**
 * Refuses CONNECT (RFC 9110, section 9.3.6): Node hands over the bare connection, without its timeouts and its reader.
 */
export function refuseTunnels(
  server: Server,
  headersOf: (request: IncomingMessage) => Readonly<Record<string, string>>,
): void {
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    // A stream with unread bytes does not notice that the client closes.
    socket.resume();
    answer(
      socket,
      request.url ?? '',
      'CONNECT is not supported: this server is no proxy.',
      headersOf(request),
    );
    const timer = setTimeout(() => socket.destroy(), TUNNEL_CLOSE_MS);
    socket.once('close', () => clearTimeout(timer));
  });
}

function answer(
  socket: Duplex,
  target: string,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (!isRefusalExpected(socket)) {
    socket.destroy();
    return;
  }
  const wording = isProtocolPath(target) ? 'error_description' : 'message';
  const body = JSON.stringify({ error: 'invalid_request', [wording]: message });
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
