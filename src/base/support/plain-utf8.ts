import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';

/**
 * True if a body with these headers is UTF-8 and not compressed. A missing charset counts as UTF-8;
 * `content-encoding` must be absent.
 */
export function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const { charset } = parse(headers['content-type'] ?? '').parameters;
  return headers['content-encoding'] === undefined && (charset || 'utf-8').toLowerCase() === 'utf-8';
}
