import { Fault } from './faults.js';

/** Parameters of a request, each said once. */
export type Form = ReadonlyMap<string, string>;

/** Of one request. Each is decoded by itself: 12,000 in one form of 61 kB would take 20 ms. */
export const MOST_PARAMETERS = 100;

/** decisions.md, "Values": of any request body. */
export const FORM_LIMIT_BYTES = 64 * 1024;

/**
 * Reads `application/x-www-form-urlencoded` to the letter: what another reader could understand otherwise is refused.
 * No parameter may be there twice (RFC 6749, sections 3.1 and 3.2), known or not.
 * @throws {Fault} `invalid_request`
 */
export function readForm(encoded: string): Form {
  const form = new Map<string, string>();
  const pairs = encoded.split('&').filter(Boolean);
  if (pairs.length > MOST_PARAMETERS)
    throw new Fault(400, 'invalid_request', 'There are too many parameters.');
  for (const pair of pairs) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const decoded = decode(name);
    if (form.has(decoded)) throw new Fault(400, 'invalid_request', 'A parameter is there twice.');
    form.set(decoded, decode(value));
  }
  return form;
}

/** The parameters of these names, encoded again. */
export function writeForm(form: Form, names: readonly string[]): string {
  const known = names.flatMap((name) => (form.has(name) ? [[name, form.get(name) ?? ''] as const] : []));
  return known.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** @throws {Fault} `invalid_request` */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Fault(400, 'invalid_request', 'A parameter is not percent-encoded UTF-8.');
  }
}
