import type { IncomingMessage } from 'node:http';

/**
 * Gives a form that was read already to the library, which reads forms from the request itself: these members are all
 * that it looks at.
 */
export function handOverForm(raw: IncomingMessage, encoded: string): void {
  const body = Buffer.from(encoded);
  Object.defineProperties(raw, {
    readable: { value: true, configurable: true },
    iterator: { value: () => [body], configurable: true },
  });
  delete raw.headers['transfer-encoding'];
  raw.headers['content-type'] = 'application/x-www-form-urlencoded';
  raw.headers['content-length'] = String(body.length);
}
