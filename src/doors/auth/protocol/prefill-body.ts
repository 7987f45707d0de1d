import type { IncomingMessage } from 'node:http';

const LIBRARY_LIMIT_BYTES = 56 * 1024;

/**
 * Passes a parsed form to the library, which reads forms from the request stream: it uses only these members. The
 * library limits the stream (its shared/selective_body.js), so a larger form goes in as `body`, about which it warns
 * once.
 */
export function prefillBody(raw: IncomingMessage, encoded: string): void {
  const body = Buffer.from(encoded);
  const isSmall = body.length <= LIBRARY_LIMIT_BYTES;
  Object.defineProperties(raw, {
    readable: { value: isSmall, configurable: true },
    ...(isSmall
      ? { iterator: { value: () => [body], configurable: true } }
      : { body: { value: body, configurable: true } }),
  });
  delete raw.headers['transfer-encoding'];
  raw.headers['content-type'] = 'application/x-www-form-urlencoded';
  raw.headers['content-length'] = String(body.length);
}
