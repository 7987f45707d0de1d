import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';

/** True if a body with these headers is UTF-8 without a content encoding. No charset counts as UTF-8. */
export function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const { charset } = parse(headers['content-type'] ?? '').parameters;
  return headers['content-encoding'] === undefined && (charset || 'utf-8').toLowerCase() === 'utf-8';
}
