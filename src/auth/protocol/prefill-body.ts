import type { IncomingMessage } from 'node:http';

/** The library reads no more from a request, and has no bound on what was read for it (its shared/selective_body.js). */
const LIBRARY_LIMIT_BYTES = 56 * 1024;

/**
 * Gives a form that was read already to the library, which reads forms from the request itself: these members are all
 * that it looks at. It warns once in a process's life, on its own, of the other way, which is for large forms alone.
 */
export function handOverForm(raw: IncomingMessage, encoded: string): void {
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
