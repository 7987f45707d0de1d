import { Fault } from './faults.js';

/** Parameters of a request, each said once. */
export type Form = ReadonlyMap<string, string>;

/** decisions.md, "Values": of any request body. */
export const FORM_LIMIT_BYTES = 64 * 1024;

/**
 * Reads `application/x-www-form-urlencoded` to the letter: what another reader could understand otherwise is refused.
 * No parameter may be there twice (RFC 6749, sections 3.1 and 3.2), known or not.
 * @throws {Fault} `invalid_request`
 */
export function readForm(encoded: string): Form {
  const form = new Map<string, string>();
  for (const pair of encoded.split('&').filter(Boolean)) {
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
