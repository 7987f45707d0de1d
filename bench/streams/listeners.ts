import { connect } from 'node:net';

/** Holds event streams open and counts their events. Sends a port first, like every floor, though it has none. */
interface Question {
  readonly open?: { readonly url: string; readonly tokens: readonly string[]; readonly streams: number };
}

let told = 0;
let ended = 0;

process.on('message', ({ open }: Question) => {
  void (async () => {
    if (open) {
      const { url, tokens, streams } = open;
      // a few at a time, to keep the load of opening low
      for (let from = 0; from < streams; from += 20)
        await Promise.all(
          Array.from({ length: Math.min(20, streams - from) }, (_, index) =>
            listen(url, tokens[(from + index) % tokens.length] ?? ''),
          ),
        );
    }
    process.send?.({ told, ended });
  })();
});
process.send?.({ port: 0 });

function listen(url: string, token: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname).setEncoding('latin1').setNoDelay();
  socket.write(
    `GET /api/events HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  socket.on('data', (chunk) => {
    const text = String(chunk);
    if (text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) reject(new Error(text));
    if (text.includes('\nid: ')) resolve();
    told += text.split('event: post.created').length - 1;
  });
  socket.on('error', reject).on('close', () => (ended += 1));
  return promise;
}
