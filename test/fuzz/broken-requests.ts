import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as fc from 'fast-check';

/** Request heads in which some bytes are replaced, repeated or removed. */
export function brokenRequests(host: string): fc.Arbitrary<Buffer> {
  const heads = [
    `GET /api/reconcile HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n`,
    `POST /api/posts HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`,
    `POST /api/auth/oauth2/token HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n`,
    `GET /api/posts//replies?limit=1 HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n`,
    `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n`,
  ];
  const change = fc.record({
    at: fc.nat(),
    as: fc.constantFrom('other', 'twice', 'none', 'many'),
    byte: fc.nat(255),
  });
  return fc
    .record({ head: fc.constantFrom(...heads), changes: fc.array(change, { maxLength: 4 }) })
    .map(({ head, changes }) =>
      Buffer.concat([
        changes.reduce((bytes, { at, as, byte }) => {
          const place = at % bytes.length;
          const there = bytes.subarray(place, place + 1);
          const instead = {
            other: Buffer.from([byte]),
            twice: Buffer.concat([there, there]),
            none: Buffer.alloc(0),
            many: Buffer.alloc(20_000, byte),
          }[as];
          return Buffer.concat([bytes.subarray(0, place), instead, bytes.subarray(place + 1)]);
        }, Buffer.from(head)),
        Buffer.from('Connection: close\r\n\r\n{}'),
      ]),
    );
}

/** The answer to raw bytes; status 0 if the connection ends without one, as after the preface of another protocol. */
export async function answerTo(
  baseUrl: string,
  bytes: Buffer,
): Promise<{ status: number; isError: boolean }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  // A server resets a connection whose request it did not read to its end.
  socket.on('error', () => undefined);
  socket.end(bytes);
  const answer = (await buffer(socket).catch(() => Buffer.alloc(0))).toString();
  const status = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1] ?? 0);
  return { status, isError: /\r\n\r\n\{"error":"[a-z_]+","(message|error_description)":/.test(answer) };
}
