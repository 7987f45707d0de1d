import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '../protocol/faults.js';

/** Proves that a form came from the page of the same interaction: its hidden field `form`. */
export class FormGuard {
  constructor(
    private readonly key: Buffer,
    private readonly origin: string,
  ) {}

  /** The field's value on the pages of an interaction. */
  field(uid: string): string {
    return createHmac('sha256', this.key).update(uid).digest('base64url');
  }

  /** @throws {Fault} the form came from elsewhere. */
  check(uid: string, headers: IncomingHttpHeaders, body: Readonly<Record<string, string>>): void {
    if (headers.origin === undefined)
      throw new Fault(403, 'origin_required', 'Your browser did not say where this form came from.');
    if (headers.origin !== this.origin)
      throw new Fault(403, 'origin_mismatch', 'This form came from another site.');
    const expected = Buffer.from(this.field(uid));
    const given = Buffer.from(body['form'] ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Fault(403, 'invalid_request', 'This form is not the one that was shown to you.');
  }
}
