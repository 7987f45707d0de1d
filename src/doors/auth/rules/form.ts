import { limits } from '../../../base/config/limit-settings.js';
import { Fault } from './faults.js';

export type Form = ReadonlyMap<string, string>;

/** Most parameters of one form or query; a request with more is refused. */
export const MAX_REQUEST_PARAMETERS = limits.bodies.parameters;

/**
 * Reads `application/x-www-form-urlencoded` strictly: it refuses input that another parser could read differently, and
 * any repeated parameter (RFC 6749, sections 3.1 and 3.2).
 * @throws {Fault} `invalid_request`
 */
export function readForm(encoded: string): Form {
  const form = new Map<string, string>();
  const pairs = encoded.split('&').filter(Boolean);
  if (pairs.length > MAX_REQUEST_PARAMETERS)
    throw new Fault(400, 'invalid_request', `Too many parameters: send at most ${MAX_REQUEST_PARAMETERS}.`);
  for (const pair of pairs) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const decoded = decode(name);
    if (form.has(decoded))
      throw new Fault(400, 'invalid_request', 'A parameter is repeated; send each parameter once.');
    form.set(decoded, decode(value));
  }
  return form;
}

export function writeForm(form: Form, names: readonly string[]): string {
  const known = names.flatMap((name) => (form.has(name) ? [[name, form.get(name) ?? ''] as const] : []));
  return known.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Fault(400, 'invalid_request', 'A parameter is not percent-encoded UTF-8.');
  }
}
